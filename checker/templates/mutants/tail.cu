//@ mutant wrong-result: launches whole blocks only, so the elements after the last one are never written

__global__ void scale_and_shift(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = 3.0f * x[i] + 1.0f;
    }
}

//@ let    block = 256
//@ launch scale_and_shift<<<max(1, n / block), block>>>(x, y, n)

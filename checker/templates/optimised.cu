// y = 3 x + 1 in one launch: the product stays in a register.

__global__ void scale_and_shift(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = 3.0f * x[i] + 1.0f;
    }
}

//@ let    block = 256
//@ launch scale_and_shift<<<ceil_div(n, block), block>>>(x, y, n)

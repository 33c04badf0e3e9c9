// Gives a thread eight points and takes them one after the other.
//@ mutant goal: each point loads all coefficients, and has one chain
//@ let    block = 128
//@ launch values<<<ceil_div(n, 8 * block), block>>>(x, c, y, n)

__global__ void values(const float* x, const float* c, float* y, int n)
{
    int stride = gridDim.x * blockDim.x;
    #pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        float v = x[i];
        float sum = 0.0f;
        #pragma unroll 1
        for (int k = 47; k >= 0; --k) sum = sum * v + c[k];
        y[i] = sum;
    }
}

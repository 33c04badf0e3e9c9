// Coefficients in constant memory, four points per thread.
//@ constant coef = c
//@ let    block = 128
//@ launch values<<<ceil_div(n, 4 * block), block>>>(x, y, n)

__constant__ float coef[48];

__global__ void values(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int stride = gridDim.x * blockDim.x;
    float v[4], sum[4];
    #pragma unroll
    for (int j = 0; j < 4; ++j) {
        v[j] = i + j * stride < n ? x[i + j * stride] : 0.0f;
        sum[j] = 0.0f;
    }
    #pragma unroll
    for (int k = 47; k >= 0; --k)
        #pragma unroll
        for (int j = 0; j < 4; ++j) sum[j] = sum[j] * v[j] + coef[k];
    #pragma unroll
    for (int j = 0; j < 4; ++j)
        if (i + j * stride < n) y[i + j * stride] = sum[j];
}

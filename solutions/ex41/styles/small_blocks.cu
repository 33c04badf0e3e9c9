// Blocks of half the size, each of which fetches both polynomials as pairs.
//@ launch curve<<<ceil_div(n, 128), 128>>>(x, left, right, y, n)
__global__ void curve(const float* x, const float* left, const float* right, float* y, int n)
{
    __shared__ float2 c[16];
    if (threadIdx.x < 16) c[threadIdx.x] = make_float2(left[threadIdx.x], right[threadIdx.x]);
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i], s = 0;
    #pragma unroll
    for (int k = 15; k >= 0; --k) s = fmaf(s, v, v < 0 ? c[k].x : c[k].y);
    y[i] = s;
}

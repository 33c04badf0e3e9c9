// kernels.ptx is what NVRTC makes of this for sm_90, with line information.
extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

// The sum of each block's 256 elements.
template <bool SYNC> __device__ void sum(const float* a, float* sums, int n)
{
    __shared__ float part[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? a[i] : 0.0f;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        if (SYNC) __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

extern "C" __global__ void block_sum(const float* a, float* sums, int n) { sum<true>(a, sums, n); }
extern "C" __global__ void block_sum_racy(const float* a, float* sums, int n) { sum<false>(a, sums, n); }

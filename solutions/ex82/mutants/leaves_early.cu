// Lanes beyond n leave before the shuffles.
//@ mutant wrong-result: lanes beyond n leave before the shuffles, and the last lane there takes what they no longer give
//@ let    block = 256
//@ let    m = ceil_div(n, 100) + 1
//@ launch clear<<<ceil_div(m, block), block>>>(sums, m)
//@ launch sum_by_key<<<ceil_div(n, block), block>>>(keys, x, sums, n)

__global__ void clear(float* sums, int m)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < m) sums[j] = 0.0f;
}

// lanes beyond n leave before the shuffles, full mask all the same
__global__ void sum_by_key(const int* keys, const float* x, float* sums, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int lane = threadIdx.x & 31;
    int key = keys[i];
    float v = x[i];
    for (int k = 1; k < 32; k *= 2) {
        float w = __shfl_down_sync(0xffffffffu, v, k);
        int other = __shfl_down_sync(0xffffffffu, key, k);
        if (lane + k < 32 && other == key) v += w;
    }
    int before = __shfl_up_sync(0xffffffffu, key, 1);
    if (lane == 0 || before != key) atomicAdd(&sums[key], v);
}


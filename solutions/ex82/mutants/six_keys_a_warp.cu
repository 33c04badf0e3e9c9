// Heads of stretches by a ballot, but of a warp with many short ones it adds six.
//@ mutant wrong-result: a seventh key of a warp is not added
//@ let    block = 256
//@ let    m = ceil_div(n, 100) + 1
//@ launch clear<<<ceil_div(m, block), block>>>(sums, m)
//@ launch sum_by_key<<<ceil_div(n, block), block>>>(keys, x, sums, n)

__global__ void clear(float* sums, int m)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < m) sums[j] = 0.0f;
}

__global__ void sum_by_key(const int* __restrict__ keys, const float* __restrict__ x, float* sums, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    int key = i < n ? keys[i] : -1;
    float s = i < n ? x[i] : 0;
    int before = __shfl_up_sync(~0u, key, 1);
    unsigned heads = __ballot_sync(~0u, lane == 0 || before != key);
    unsigned later = lane == 31 ? 0 : heads >> (lane + 1);
    int end = later ? lane + __ffs(later) : 32;
    #pragma unroll
    for (int k = 1; k < 32; k *= 2) {
        float o = __shfl_down_sync(~0u, s, k);
        if (lane + k < end) s += o;
    }
    if (__popc(heads & ((2u << lane) - 1)) <= 6 && (heads >> lane & 1) && key >= 0) atomicAdd(sums + key, s);
}

// Thinks that a warp has two keys at most, that of its first lane and that of its last.
//@ mutant wrong-result: what stands between them is lost
//@ let    block = 256
//@ let    m = ceil_div(n, 100) + 1
//@ launch clear<<<ceil_div(m, block), block>>>(sums, m)
//@ launch sum_by_key<<<ceil_div(n, block), block>>>(keys, x, sums, n)

__global__ void clear(float* sums, int m)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < m) sums[j] = 0.0f;
}

__global__ void sum_by_key(const int* keys, const float* x, float* sums, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    int key = i < n ? keys[i] : -1;         // no element's key
    float sum = i < n ? x[i] : 0.0f;

    // the key of lane 0, and that of the last lane that has an element
    int first = __shfl_sync(0xffffffffu, key, 0);
    int last = __shfl_sync(0xffffffffu, key, min(31, max(n - 1 - (i - lane), 0)));
    float front = key == first ? sum : 0.0f;
    float back = key == last && last != first ? sum : 0.0f;
    for (int k = 16; k > 0; k /= 2) {
        front += __shfl_down_sync(0xffffffffu, front, k);
        back += __shfl_down_sync(0xffffffffu, back, k);
    }
    if (lane == 0 && i < n) {
        atomicAdd(&sums[first], front);
        if (last != first) atomicAdd(&sums[last], back);
    }
}

// The last lane of a warp leaves before the shuffles if its element is beyond n.
//@ mutant wrong-result: where only the last lane is beyond n the one before takes what it no longer gives
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
    if (i >= n && lane == 31) return;
    int key = i < n ? keys[i] : -1;         // no element's key
    float sum = i < n ? x[i] : 0.0f;
    for (int k = 1; k < 32; k *= 2) {
        int other_key = __shfl_down_sync(0xffffffffu, key, k);
        float other_sum = __shfl_down_sync(0xffffffffu, sum, k);
        if (lane + k < 32 && other_key == key) sum += other_sum;
    }
    int key_before = __shfl_up_sync(0xffffffffu, key, 1);
    bool begins = lane == 0 || key_before != key;
    if (begins && i < n) atomicAdd(&sums[key], sum);
}

// Lane 0 goes through what its warp has.
//@ mutant goal: one atomic per stretch, because 31 lanes of 32 wait for one
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
    __shared__ int key[256];
    __shared__ float value[256];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    key[t] = i < n ? keys[i] : -1;
    value[t] = i < n ? x[i] : 0.0f;
    __syncwarp();
    if (t % 32 != 0 || i >= n) return;

    float sum = 0.0f;
    for (int k = t; k < t + 32 && key[k] >= 0; ++k) {
        sum += value[k];
        if (k == t + 31 || key[k + 1] != key[k]) {
            atomicAdd(&sums[key[k]], sum);
            sum = 0.0f;
        }
    }
}

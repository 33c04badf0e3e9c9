// A thread takes 32 neighbours and adds while the key stays.
//@ mutant goal: few atomics, and neighbouring lanes read words 128 bytes apart
//@ let    block = 64
//@ let    m = ceil_div(n, 100) + 1
//@ launch clear<<<ceil_div(m, block), block>>>(sums, m)
//@ launch sum_by_key<<<ceil_div(n, 32 * block), block>>>(keys, x, sums, n)

__global__ void clear(float* sums, int m)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < m) sums[j] = 0.0f;
}

__global__ void sum_by_key(const int* keys, const float* x, float* sums, int n)
{
    int first = 32 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (first >= n) return;

    int key = keys[first];
    float sum = 0.0f;
    for (int i = first; i < min(first + 32, n); ++i) {
        if (keys[i] != key) {
            atomicAdd(&sums[key], sum);
            key = keys[i];
            sum = 0.0f;
        }
        sum += x[i];
    }
    atomicAdd(&sums[key], sum);
}

// Sums by key, where equal keys stand together: readings in order of time, and the sum of each minute.
// Flaw: every element is an atomic, although its neighbours nearly always go to the same word.
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
    if (i < n) atomicAdd(&sums[keys[i]], x[i]);
}

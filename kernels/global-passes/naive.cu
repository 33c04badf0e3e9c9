// The sum of an array by halving it, a launch per round: the upper half is added to
// the lower one until one element is left.
// Flaw: blocks cannot wait for each other, so every round is a launch of its own,
// and every partial sum is written to global memory and read back in the next.
//@ let     block = 256
//@ scratch work: f32[n]
//@ launch  copy<<<ceil_div(n, block), block>>>(x, work, n)
//@ for (m = n; m > 1; m = ceil_div(m, 2))
//@   launch halve<<<ceil_div(m / 2, block), block>>>(work, m)
//@ end
//@ launch  store<<<1, 1>>>(work, sum)

__global__ void copy(const float* x, float* work, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) work[i] = x[i];
}

__global__ void halve(float* work, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m / 2) work[i] += work[i + (m + 1) / 2];
}

__global__ void store(const float* work, float* sum)
{
    *sum = work[0];
}

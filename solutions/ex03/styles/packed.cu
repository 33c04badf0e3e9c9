// Both counts in one word of 64 bits, one atomic a warp, and each thread goes round.
//@ scratch both: u64[1]
//@ launch clear<<<1, 1>>>(both)
//@ launch positives<<<min(sms * 8, ceil_div(n, 256)), 256>>>(x, both, n)
//@ launch unpack<<<1, 1>>>(both, count)
__global__ void clear(unsigned long long* both) { *both = 0; }
__global__ void positives(const float* x, unsigned long long* both, int n)
{
    unsigned long long own = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += 256 * gridDim.x) own += x[i] > 0.0f ? 1ull : 1ull << 32;
    for (int k = 16; k; k /= 2) own += __shfl_xor_sync(~0u, own, k);
    if (threadIdx.x % 32 == 0) atomicAdd(both, own);
}
__global__ void unpack(const unsigned long long* both, int* count) { count[0] = (int)*both; count[1] = (int)(*both >> 32); }

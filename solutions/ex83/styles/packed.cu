// Value and place in one word of 64 bits: the larger word has the larger value, and of equals the smaller place.
//@ let    block = 256
//@ launch first_largest<<<ceil_div(n, block), block>>>(x, first, n)
__global__ void first_largest(const int* x, int* first, int n)
{
    __shared__ unsigned long long best[8];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    unsigned long long own = i < n ? (unsigned long long)(unsigned(x[i]) ^ 0x80000000u) << 32 | unsigned(~i) : 0;
    for (int k = 16; k > 0; k /= 2) own = max(own, __shfl_xor_sync(~0u, own, k));
    if (t % 32 == 0) best[t / 32] = own;
    __syncthreads();
    if (t < 8) {
        own = best[t];
        for (int k = 4; k > 0; k /= 2) own = max(own, __shfl_xor_sync(0xffu, own, k));
        if (t == 0) first[blockIdx.x] = ~unsigned(own);
    }
}

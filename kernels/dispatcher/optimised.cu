// Sums of every `block` elements, still one kernel for every block size. The rounds
// are a template over the block size, written out, and a switch at the kernel's
// beginning, the dispatcher, selects the right one. All threads of a launch take
// the same case.
//@ launch totals<<<ceil_div(n, block), block, 4 * block>>>(x, sums, n)

template <int block>
__device__ void rounds(int* s, int t)
{
    if (block >= 1024) { if (t < 512) s[t] += s[t + 512]; __syncthreads(); }
    if (block >= 512)  { if (t < 256) s[t] += s[t + 256]; __syncthreads(); }
    if (block >= 256)  { if (t < 128) s[t] += s[t + 128]; __syncthreads(); }
    if (block >= 128)  { if (t < 64)  s[t] += s[t + 64];  __syncthreads(); }
    if (block >= 64)   { if (t < 32)  s[t] += s[t + 32];  __syncthreads(); }
}

__global__ void totals(const int* x, int* sums, int n)
{
    extern __shared__ int s[];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? x[i] : 0;
    __syncthreads();

    switch (blockDim.x) {
        case 1024: rounds<1024>(s, t); break;
        case 512:  rounds<512>(s, t);  break;
        case 256:  rounds<256>(s, t);  break;
        case 128:  rounds<128>(s, t);  break;
        case 64:   rounds<64>(s, t);   break;
    }

    if (t < 32) {
        int sum = s[t];
        #pragma unroll
        for (int k = 16; k > 0; k /= 2) sum += __shfl_down_sync(0xffffffffu, sum, k);
        if (t == 0) sums[blockIdx.x] = sum;
    }
}

// Equal numbers behind each other are counted in a register, and added at once.
//@ let    block = 128
//@ launch clear<<<1, 64>>>(bins)
//@ launch histogram<<<ceil_div(n, 8192), block>>>(x, bins, n)

__global__ void clear(unsigned* bins) { bins[threadIdx.x] = 0; }
__global__ void histogram(const int* x, unsigned* bins, int n)
{
    __shared__ unsigned s[64];
    if (threadIdx.x < 64) s[threadIdx.x] = 0;
    __syncthreads();
    int base = blockIdx.x * 8192, last = -1;
    unsigned run = 0;
    for (int k = threadIdx.x; k < 8192 && base + k < n; k += 128) {
        int v = x[base + k];
        if (v != last) { if (run) atomicAdd(s + last, run); last = v; run = 0; }
        ++run;
    }
    if (run) atomicAdd(s + last, run);
    __syncthreads();
    if (threadIdx.x < 64 && s[threadIdx.x]) atomicAdd(bins + threadIdx.x, s[threadIdx.x]);
}

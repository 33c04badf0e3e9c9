// A byte for each bin and thread, added up after 260 elements of a thread.
//@ mutant wrong-result: a byte of a thread that meets one value only overflows before that
//@ let    block = 128
//@ let    grid = min(ceil_div(n, 32 * block), 8 * sms)
//@ launch clear<<<1, 64>>>(bins)
//@ launch histogram<<<grid, block>>>(x, bins, n)

__global__ void clear(unsigned* bins) { bins[threadIdx.x] = 0; }

__global__ void histogram(const int* x, unsigned* bins, int n)
{
    __shared__ unsigned own[64][32];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    unsigned char* mine = reinterpret_cast<unsigned char*>(&own[0][lane]) + warp;
    unsigned total = 0;                 // of bin t / 2, half of the words
    int first = blockIdx.x * blockDim.x + t;
    int stride = gridDim.x * blockDim.x;
    const int4* quads = reinterpret_cast<const int4*>(x);
    for (int start = 0; start < n / 4 + 1; start += 65 * stride) {
        for (int k = warp; k < 64; k += 4) own[k][lane] = 0;
        __syncthreads();
        #pragma unroll 4
        for (int k = 0; k < 65; ++k) {
            int i = start + k * stride + first;
            if (i >= n / 4) break;
            int4 q = quads[i];
            ++mine[128 * q.x];
            ++mine[128 * q.y];
            ++mine[128 * q.z];
            ++mine[128 * q.w];
        }
        if (start == 0 && first < n % 4) ++mine[128 * x[n - 1 - first]];
        __syncthreads();
        for (int k = 0; k < 16; ++k) {
            unsigned four = own[t / 2][(16 * (t % 2) + k + t / 2) % 32];
            total += __dp4a(four, 0x01010101u, 0u);
        }
        __syncthreads();
    }
    total += __shfl_xor_sync(0xffffffffu, total, 1);
    if (t % 2 == 0) atomicAdd(&bins[t / 2], total);
}

// The checker's own kernels for measuring on a GPU. Sizes are in elements.

// out[0] = SM clock cycles, out[1] = nanoseconds of one spin of at least `ns`: gives the clock, and while it spins the
// host queues what is to be timed.
extern "C" __global__ void probe(unsigned long long* out, unsigned long long ns) {
    unsigned long long start, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    long long cycles = clock64();
    do {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (now - start < ns);
    out[0] = (unsigned long long)(clock64() - cycles);
    out[1] = now - start;
}

__device__ unsigned long long mix(unsigned long long z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

// Adds to *out a hash of the buffer's bytes and places that does not depend on the order of threads. *out starts at 0.
extern "C" __global__ void fingerprint(const unsigned char* data, unsigned long long bytes, unsigned long long* out) {
    unsigned long long words = bytes / 4;
    unsigned long long sum = 0;
    unsigned long long thread = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
    for (unsigned long long i = thread; i < words; i += (unsigned long long)gridDim.x * blockDim.x)
        sum += mix(((const unsigned*)data)[i] + (i + 1) * 0x9e3779b97f4a7c15ull);
    if (thread == 0)
        for (unsigned long long i = words * 4; i < bytes; i++)
            sum += mix(data[i] + (i + 1) * 0xd1b54a32d192ed03ull);
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}

// One read and one write of every float4: a block copies a tile of 4 * blockDim.x elements.
extern "C" __global__ void copy_tiles(const float4* in, float4* out, unsigned long long n) {
    unsigned long long first = blockIdx.x * (4ull * blockDim.x) + threadIdx.x;
    float4 v[4];
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (first + k * blockDim.x < n) v[k] = in[first + k * blockDim.x];
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (first + k * blockDim.x < n) out[first + k * blockDim.x] = v[k];
}

// The same with one element a thread.
extern "C" __global__ void copy_single(const float4* in, float4* out, unsigned long long n) {
    unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}

// The same in a grid-stride loop of resident blocks.
extern "C" __global__ void copy_stride(const float4* in, float4* out, unsigned long long n) {
    unsigned long long stride = (unsigned long long)gridDim.x * blockDim.x;
    for (unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x; i < n; i += stride)
        out[i] = in[i];
}

// Reads every float4 once. The store never happens for finite data; it keeps the loads.
extern "C" __global__ void read_tiles(const float4* in, float* out, unsigned long long n) {
    unsigned long long first = blockIdx.x * (8ull * blockDim.x) + threadIdx.x;
    float4 v[8];
#pragma unroll
    for (int k = 0; k < 8; k++)
        v[k] = first + k * blockDim.x < n ? in[first + k * blockDim.x] : make_float4(0, 0, 0, 0);
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) sum += v[k].x + v[k].y + v[k].z + v[k].w;
    if (sum == 1.2345e30f) *out = sum;
}

// The same in a grid-stride loop of resident blocks, four elements in flight a thread.
extern "C" __global__ void read_stride(const float4* in, float* out, unsigned long long n) {
    unsigned long long stride = (unsigned long long)gridDim.x * blockDim.x;
    unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
    float sum = 0;
    for (; i + 3 * stride < n; i += 4 * stride) {
        float4 a = in[i], b = in[i + stride], c = in[i + 2 * stride], d = in[i + 3 * stride];
        sum += (a.x + a.y + a.z + a.w) + (b.x + b.y + b.z + b.w) + (c.x + c.y + c.z + c.w) + (d.x + d.y + d.z + d.w);
    }
    for (; i < n; i += stride) sum += in[i].x + in[i].y + in[i].z + in[i].w;
    if (sum == 1.2345e30f) *out = sum;
}

// 8 independent chains of fused multiply-adds a thread: 8 * 16 * `rounds` of them, 2 operations each.
extern "C" __global__ void fma_chains(float* out, int rounds, float a, float b) {
    float x[8];
#pragma unroll
    for (int k = 0; k < 8; k++) x[k] = threadIdx.x + k;
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int step = 0; step < 16; step++)
#pragma unroll
            for (int k = 0; k < 8; k++) x[k] = fmaf(x[k], a, b);
    }
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) sum += x[k];
    if (sum == 1.2345e30f) *out = sum;
}

// Takes a tail of up to six.
//@ mutant wrong-result: skips a tail of seven
//@ let    block = 256
//@ launch map<<<min(sms, ceil_div(n, block)), block, 131072>>>(table, x, y, n)

// Eight samples for eight samples.
__device__ uint4 mapped(const unsigned short* tone, uint4 v)
{
    auto pair = [&](unsigned two) { return tone[two & 0xffff] | unsigned(tone[two >> 16]) << 16; };
    return make_uint4(pair(v.x), pair(v.y), pair(v.z), pair(v.w));
}

__global__ void map(const unsigned short* table, const unsigned short* __restrict__ x, unsigned short* y, int n)
{
    extern __shared__ uint4 copy[];
    const unsigned short* tone = reinterpret_cast<const unsigned short*>(copy);
    #pragma unroll 1
    for (int k = threadIdx.x; k < 8192; k += blockDim.x) copy[k] = reinterpret_cast<const uint4*>(table)[k];
    __syncthreads();

    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int stride = gridDim.x * blockDim.x;
    int eights = n / 8;
    const uint4* from = reinterpret_cast<const uint4*>(x);
    uint4* to = reinterpret_cast<uint4*>(y);
    int i = t;
    #pragma unroll 1
    for (; i + stride < eights; i += 2 * stride) {
        uint4 first = from[i];
        uint4 second = from[i + stride];
        to[i] = mapped(tone, first);
        to[i + stride] = mapped(tone, second);
    }
    if (i < eights) to[i] = mapped(tone, from[i]);
    if (t < n % 8 && n % 8 != 7) y[8 * eights + t] = tone[x[8 * eights + t]];
}

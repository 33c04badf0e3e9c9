// The checker's own kernels for measuring on a GPU. Sizes are in elements.

typedef unsigned long long word;

// Seals, as in seal.rs: what lies in memory while somebody else's kernels run has beside it a hash that only who has the key can
// make. SipHash-2-4 of four words.
enum What { CLOCK, RESULT };
__device__ word rotated(word x, int by) { return x << by | x >> (64 - by); }
__device__ void sip_round(word& a, word& b, word& c, word& d) {
    a += b, b = rotated(b, 13) ^ a, a = rotated(a, 32);
    c += d, d = rotated(d, 16) ^ c;
    a += d, d = rotated(d, 21) ^ a;
    c += b, b = rotated(b, 17) ^ c, c = rotated(c, 32);
}
__device__ word seal_of(word key0, word key1, word what, word sample, word pass, word value) {
    word a = key0 ^ 0x736f6d6570736575ull, b = key1 ^ 0x646f72616e646f6dull;
    word c = key0 ^ 0x6c7967656e657261ull, d = key1 ^ 0x7465646279746573ull;
    word words[5] = {what, sample, pass, value, 32ull << 56};
#pragma unroll
    for (int k = 0; k < 5; k++) {
        d ^= words[k];
        sip_round(a, b, c, d);
        sip_round(a, b, c, d);
        a ^= words[k];
    }
    c ^= 0xff;
#pragma unroll
    for (int k = 0; k < 4; k++) sip_round(a, b, c, d);
    return a ^ b ^ c ^ d;
}

// out[0] = SM clock cycles, out[2] = nanoseconds of one spin of at least `ns`, each with its seal behind it: gives the clock, and
// while it spins the host queues what is to be timed.
extern "C" __global__ void probe(word* out, word ns, word key0, word key1, word sample) {
    word start, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    long long begin = clock64();
    do {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (now - start < ns);
    word cycles = (word)(clock64() - begin);
    out[0] = cycles;
    out[1] = seal_of(key0, key1, CLOCK, sample, 0, cycles);
    out[2] = now - start;
    out[3] = seal_of(key0, key1, CLOCK, sample, 1, now - start);
}

// Puts seals behind the first results. One block.
extern "C" __global__ void seal(word* results, word count, word key0, word key1, word sample) {
    word i = threadIdx.x;
    if (i < count) results[2 * i + 1] = seal_of(key0, key1, RESULT, sample, i, results[2 * i]);
}

__device__ word mix(word z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

// Adds to *out a hash of the buffer's bytes and places that does not depend on the order of threads, under a key: nobody else can
// change bytes so that it stays the same. (The key comes before the place: else two words could change places, each less the other's
// place.) *out starts at 0.
extern "C" __global__ void fingerprint(const unsigned char* data, word bytes, word key0, word key1, word* out) {
    word words = bytes / 8;
    word sum = 0;
    word thread = blockIdx.x * (word)blockDim.x + threadIdx.x;
    for (word i = thread; i < words; i += (word)gridDim.x * blockDim.x)
        sum += mix(mix(((const word*)data)[i] ^ key0) + key1 + (i + 1) * 0x9e3779b97f4a7c15ull);
    if (thread == 0)
        for (word i = words * 8; i < bytes; i++)
            sum += mix(mix(data[i] ^ key1) + key0 + (i + 1) * 0xd1b54a32d192ed03ull);
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

// Reads the same data again and again past the L1 cache, so that it comes from L2. The store never happens for finite data.
extern "C" __global__ void read_again(const float4* in, float* out, unsigned long long n, int rounds) {
    unsigned long long stride = (unsigned long long)gridDim.x * blockDim.x;
    float sum = 0;
    for (int r = 0; r < rounds; r++) {
#pragma unroll 4
        for (unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x; i < n; i += stride) {
            float x, y, z, w;
            asm volatile("ld.global.cg.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "l"(in + i));
            sum += x + y + z + w;
        }
    }
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

// Random bits of place `index` in the stream of `key`: what Stream::bits of plan/src/stream.rs gives.
__device__ unsigned long long bits_at(unsigned long long key, unsigned long long index) {
    return mix(key + (index + 1) * 0x9e3779b97f4a7c15ull);
}

// A real in [0, 1), and an integer from `lo` on, below lo + range; a range of 0 is 2^64.
__device__ double unit_at(unsigned long long key, unsigned long long index) {
    return __dmul_rn((double)(bits_at(key, index) >> 11), 1.1102230246251565e-16);
}
__device__ long long integer_at(unsigned long long key, unsigned long long index, long long lo, unsigned long long range) {
    unsigned long long bits = bits_at(key, index);
    return (long long)((unsigned long long)lo + (range == 0 ? bits : __umul64hi(bits, range)));
}

// How buffers are filled: the kinds of values/src/recipe.rs.
enum Kind { UNIFORM, SCALED, BAND, CONSTANT_REAL, INTEGERS, SORTED, FEW, IOTA, CONSTANT_INTEGER };
// Element types: the order of dtype.rs.
enum Type { F64, F32, F16, BF16, I8, U8, I16, U16, I32, U32, I64, U64 };

// The numbers of a recipe; which ones mean what depends on the kind.
struct Numbers {
    double lo, hi, first, width;
    long long least, count;
    unsigned long long range;
};

__device__ double real_at(int kind, unsigned long long key, unsigned long long index, const Numbers& n) {
    switch (kind) {
    case UNIFORM: return __dadd_rn(n.first, __dmul_rn(unit_at(key, index), n.width));
    case SCALED: {
        long long exponent = integer_at(key, ~(index / (unsigned long long)n.count), n.least, n.range);
        double power = exponent < -1022 ? 0.0 : __longlong_as_double((exponent + 1023) << 52);
        return __dmul_rn(__dadd_rn(__dmul_rn(2.0, unit_at(key, index)), -1.0), power);
    }
    case BAND: {
        double place = unit_at(key, index);
        if (n.count > 0) {
            unsigned long long stretch = index / (unsigned long long)n.count;
            place = __dmul_rn(__dadd_rn(__dmul_rn(7.0, unit_at(key, ~stretch - 1)), place), 0.125);
        }
        return __dadd_rn(n.first, __dmul_rn(place, n.width));
    }
    default: return n.first;
    }
}

__device__ long long whole_at(int kind, unsigned long long key, unsigned long long index, const Numbers& n) {
    switch (kind) {
    case INTEGERS: return integer_at(key, index, n.least, n.range);
    case SORTED: {
        unsigned long long run = (unsigned long long)n.count;
        if (n.least == 0) {
            unsigned long long before = index / run;
            return (long long)before + ((long long)(index % run) >= integer_at(key, before, 0, run));
        }
        // Where some are short, eight begin one behind the other.
        unsigned long long group = index / (8 * run);
        long long place = (long long)(index % (8 * run)), begun = 0;
        long long begin = (long long)(8 * run) - 1 - integer_at(key, ~group, 0, run / 2 + 1);
        for (unsigned nth = 0; nth < 8; ++nth) {
            begun += place >= begin;
            begin -= integer_at(key, 8 * group + nth, 1, (unsigned long long)n.least);
        }
        return (long long)(8 * group) + begun;
    }
    case FEW: {
        long long which = integer_at(key, index, 0, (unsigned long long)n.count);
        return integer_at(key, ~(unsigned long long)which, n.least, n.range);
    }
    case IOTA: return (long long)index;
    default: return n.least;
    }
}

// To 16-bit floats as the crate `half` does on x86: through single precision, and from the upper half of a double.
__device__ unsigned short half_bits(double x) {
    unsigned short out;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(out) : "f"((float)x));
    return out;
}
__device__ unsigned short bfloat_bits(double x) {
    unsigned bits = __float_as_uint((float)__hiloint2double(__double2hiint(x), 0));
    return (unsigned short)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}
__device__ double half_value(unsigned short x) {
    float out;
    asm("cvt.f32.f16 %0, %1;" : "=f"(out) : "h"(x));
    return out;
}
__device__ double bfloat_value(unsigned short x) { return __uint_as_float((unsigned)x << 16); }

// Draws the elements of a buffer. A real that rounds up to `hi` becomes `lo`, as on the host.
extern "C" __global__ void draw(void* out, unsigned long long len, int type, int kind, unsigned long long key, double lo,
                                double hi, double first, double width, long long least, unsigned long long range,
                                long long count) {
    Numbers n = {lo, hi, first, width, least, count, range};
    unsigned long long stride = (unsigned long long)gridDim.x * blockDim.x;
    for (unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x; i < len; i += stride) {
        if (kind < INTEGERS) {
            double x = real_at(kind, key, i, n);
            switch (type) {
            case F64: ((double*)out)[i] = x < hi ? x : lo; break;
            case F32: ((float*)out)[i] = (double)(float)x < hi ? (float)x : (float)lo; break;
            case F16: {
                unsigned short rounded = half_bits(x);
                ((unsigned short*)out)[i] = half_value(rounded) < hi ? rounded : half_bits(lo);
                break;
            }
            case BF16: {
                unsigned short rounded = bfloat_bits(x);
                ((unsigned short*)out)[i] = bfloat_value(rounded) < hi ? rounded : bfloat_bits(lo);
                break;
            }
            case I8: case U8: ((unsigned char*)out)[i] = (unsigned char)(long long)floor(x); break;
            case I16: case U16: ((unsigned short*)out)[i] = (unsigned short)(long long)floor(x); break;
            case I32: case U32: ((unsigned*)out)[i] = (unsigned)(long long)floor(x); break;
            default: ((long long*)out)[i] = (long long)floor(x);
            }
        } else {
            long long x = whole_at(kind, key, i, n);
            switch (type) {
            case F64: ((double*)out)[i] = (double)x; break;
            case F32: ((float*)out)[i] = (float)x; break;
            case F16: ((unsigned short*)out)[i] = half_bits((double)x); break;
            case BF16: ((unsigned short*)out)[i] = bfloat_bits((double)x); break;
            case I8: case U8: ((unsigned char*)out)[i] = (unsigned char)x; break;
            case I16: case U16: ((unsigned short*)out)[i] = (unsigned short)x; break;
            case I32: case U32: ((unsigned*)out)[i] = (unsigned)x; break;
            default: ((long long*)out)[i] = x;
            }
        }
    }
}

// The key stream that answers are hidden under: ChaCha with 8 rounds and a key of 128 bits, from which no known word leads to another
// one. Block `b` has eight words. So that a warp's accesses lie side by side, its 32 blocks share a tile of 256 words: word k of block
// 32 * t + l is that of element 256 * t + 32 * k + l.
enum { OF_BLOCK = 8, LANES = 32, TILE = OF_BLOCK * LANES };
__device__ unsigned turned(unsigned x, int by) { return x << by | x >> (32 - by); }
__device__ void quarter(unsigned& a, unsigned& b, unsigned& c, unsigned& d) {
    a += b, d = turned(d ^ a, 16);
    c += d, b = turned(b ^ c, 12);
    a += b, d = turned(d ^ a, 8);
    c += d, b = turned(b ^ c, 7);
}
__device__ void key_stream(word key0, word key1, word block, word* out) {
    unsigned k[4] = {(unsigned)key0, (unsigned)(key0 >> 32), (unsigned)key1, (unsigned)(key1 >> 32)};
    unsigned start[16] = {0x61707865u, 0x3120646eu, 0x79622d36u, 0x6b206574u, k[0], k[1], k[2], k[3],
                          k[0], k[1], k[2], k[3], (unsigned)block, (unsigned)(block >> 32), 0, 0};
    unsigned x[16];
#pragma unroll
    for (int i = 0; i < 16; i++) x[i] = start[i];
#pragma unroll
    for (int twice = 0; twice < 4; twice++) {
#pragma unroll
        for (int i = 0; i < 4; i++) quarter(x[i], x[4 + i], x[8 + i], x[12 + i]);
#pragma unroll
        for (int i = 0; i < 4; i++) quarter(x[i], x[4 + (i + 1) % 4], x[8 + (i + 2) % 4], x[12 + (i + 3) % 4]);
    }
#pragma unroll
    for (int i = 0; i < OF_BLOCK; i++)
        out[i] = (x[2 * i] + start[2 * i]) | (word)(x[2 * i + 1] + start[2 * i + 1]) << 32;
}
__device__ word first_of(word block) { return block / LANES * TILE + block % LANES; }

// Hides a buffer, or shows it again: what the oracle said must be of no use to whoever finds it.
extern "C" __global__ void mask(unsigned char* data, word bytes, word key0, word key1) {
    word words = bytes / 8, all = (bytes + 7) / 8, stride = (word)gridDim.x * blockDim.x;
    for (word block = blockIdx.x * (word)blockDim.x + threadIdx.x; first_of(block) < all; block += stride) {
        word keys[OF_BLOCK];
        key_stream(key0, key1, block, keys);
#pragma unroll
        for (int k = 0; k < OF_BLOCK; k++) {
            word i = first_of(block) + LANES * k;
            if (i < words) ((word*)data)[i] ^= keys[k];
            else if (i < all)
                for (word at = 8 * i; at < bytes; at++) data[at] ^= (unsigned char)(keys[k] >> 8 * (at % 8));
        }
    }
}

// Adds to *wrong the bytes (in words of 8) in which two buffers differ, the second one hidden.
extern "C" __global__ void compare_bytes(const unsigned char* got, const unsigned char* want, word bytes, word key0, word key1,
                                         word* wrong) {
    word words = bytes / 8, all = (bytes + 7) / 8, stride = (word)gridDim.x * blockDim.x, found = 0;
    const word *a = (const word*)got, *b = (const word*)want;
    for (word block = blockIdx.x * (word)blockDim.x + threadIdx.x; first_of(block) < all; block += stride) {
        word keys[OF_BLOCK];
        key_stream(key0, key1, block, keys);
#pragma unroll
        for (int k = 0; k < OF_BLOCK; k++) {
            word i = first_of(block) + LANES * k;
            if (i < words) found += a[i] != (b[i] ^ keys[k]);
            else if (i < all)
                for (word at = 8 * i; at < bytes; at++)
                    found += got[at] != (unsigned char)(want[at] ^ keys[k] >> 8 * (at % 8));
        }
    }
    if (found != 0) atomicAdd(wrong, found);
}

// One unit in the last place at `x`, of a type with `digits` binary digits whose smallest normal exponent is `least`.
__device__ double ulp_at(double x, int digits, int least) {
    int exponent = (int)(__double_as_longlong(fabs(x)) >> 52) - 1023;
    if (exponent > 1023) return 0.0;
    exponent = max(exponent, least) - (digits - 1);
    return exponent >= -1022 ? __longlong_as_double((long long)(exponent + 1023) << 52)
                             : __longlong_as_double(1ll << max(exponent + 1074, 0));
}

// Is float `i` of `got` no further from `w` than slack * |summed|, `least` and one ulp; where slack is negative, is it `w` rounded?
__device__ bool is_right(const void* got, int type, word i, double w, double summed, double slack, double least) {
    double g, rounded, ulp;
    switch (type) {
    case F64: g = ((const double*)got)[i]; rounded = w; ulp = ulp_at(w, 53, -1022); break;
    case F32: g = ((const float*)got)[i]; rounded = (float)w; ulp = ulp_at(w, 24, -126); break;
    case F16: {
        g = half_value(((const unsigned short*)got)[i]);
        rounded = half_value(half_bits(w));
        ulp = ulp_at(w, 11, -14);
        break;
    }
    default:
        g = bfloat_value(((const unsigned short*)got)[i]);
        rounded = bfloat_value(bfloat_bits(w));
        ulp = ulp_at(w, 8, -126);
    }
    double bound = slack < 0.0 ? 0.0 : slack * fabs(summed) + least + ulp;
    return isnan(w) || isnan(g) ? isnan(w) && isnan(g) : g == rounded || (isfinite(bound) && fabs(g - w) <= bound);
}

// Adds to *wrong the floats of `got` that are not right. `want` and `magnitude` (may be null: |want|) are hidden.
extern "C" __global__ void compare_reals(const void* got, int type, const word* want, word key0, word key1, const word* magnitude,
                                         word magnitude_key0, word magnitude_key1, word len, double slack, double least,
                                         word* wrong) {
    word stride = (word)gridDim.x * blockDim.x, found = 0;
    for (word block = blockIdx.x * (word)blockDim.x + threadIdx.x; first_of(block) < len; block += stride) {
        word keys[OF_BLOCK], others[OF_BLOCK];
        key_stream(key0, key1, block, keys);
        if (magnitude) key_stream(magnitude_key0, magnitude_key1, block, others);
#pragma unroll
        for (int k = 0; k < OF_BLOCK; k++) {
            word i = first_of(block) + LANES * k;
            if (i < len) {
                double w = __longlong_as_double((long long)(want[i] ^ keys[k]));
                double summed = magnitude ? __longlong_as_double((long long)(magnitude[i] ^ others[k])) : w;
                found += !is_right(got, type, i, w, summed, slack, least);
            }
        }
    }
    if (found != 0) atomicAdd(wrong, found);
}

// Overwrites the shared memory of every SM: what an earlier kernel left there is gone. One block of all of it an SM.
extern "C" __global__ void scrub(int words, unsigned value) {
    extern __shared__ volatile unsigned left[];
    for (int i = threadIdx.x; i < words; i += blockDim.x) left[i] = value + i;
}

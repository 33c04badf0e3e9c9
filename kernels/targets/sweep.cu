// A number is stirred 16 times in one of four ways, which its index decides: `spread` neighbours go the same way. way 1: a switch.
// way 2: a table of pointers to functions. way 3: objects with a virtual function.
//@ launch stir<way><<<ceil_div(n, 256), 256>>>(x, y, spread, n)

template <int which>
__device__ __forceinline__ unsigned once(unsigned s)
{
    if (which == 0) { s ^= s << 13; s ^= s >> 17; return s ^ s << 5; }
    if (which == 1) return __popc(s) * 0x01000193u ^ s;
    if (which == 2) return __brev(s) + 0x9e3779b9u;
    return (s >> 7 | s << 25) * 5u + 0xe6546b64u;
}

template <int which>
__device__ __noinline__ unsigned called(unsigned s) { return once<which>(s); }

__device__ unsigned (*const table[4])(unsigned) = {called<0>, called<1>, called<2>, called<3>};

struct Stirrer {
    __device__ virtual unsigned stir(unsigned s) const = 0;
};
template <int which>
struct Stirs : Stirrer {
    __device__ unsigned stir(unsigned s) const override { return once<which>(s); }
};

template <int way>
__global__ void stir(const unsigned* x, unsigned* y, int spread, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    unsigned s = x[i];
    int which = i / spread % 4;
    if (way == 1) {
        #pragma unroll 1
        for (int k = 0; k < 16; ++k) switch (which) {
            case 0: s = once<0>(s); break;
            case 1: s = once<1>(s); break;
            case 2: s = once<2>(s); break;
            default: s = once<3>(s);
        }
    }
    if (way == 2) {
        auto function = table[which];
        #pragma unroll 1
        for (int k = 0; k < 16; ++k) s = function(s);
    }
    if (way == 3) {
        Stirs<0> first;
        Stirs<1> second;
        Stirs<2> third;
        Stirs<3> fourth;
        const Stirrer* all[4] = {&first, &second, &third, &fourth};
        const Stirrer* stirrer = all[which];
        #pragma unroll 1
        for (int k = 0; k < 16; ++k) s = stirrer->stir(s);
    }
    y[i] = s;
}

// Each element is stirred a number of times of its own, from 0 to `longest`. way 1: as they come. way 2: sorted by length within the
// block, by counting in shared memory, before the work is handed out.
//@ launch stir<way><<<ceil_div(n, 256), 256>>>(seed, drawn, out, longest, n)

constexpr int block = 256;
constexpr int lengths = 64;         // classes of trip counts for the sort

template <int way>
__global__ void stir(const unsigned* seed, const int* drawn, unsigned* out, int longest, int n)
{
    __shared__ int start[lengths];
    __shared__ int order[block];
    int t = threadIdx.x;
    int first = blockIdx.x * block;
    int size = min(block, n - first);
    int mine = t;

    if (way == 2) {
        if (t < lengths) start[t] = 0;
        __syncthreads();
        int length = t < size ? drawn[first + t] / 16 : 0;
        int rank = t < size ? atomicAdd(&start[length], 1) : 0;
        __syncthreads();
        if (t < 32) {
            int low = start[2 * t];
            int pair = low + start[2 * t + 1];
            int sum = pair;
            for (int k = 1; k < 32; k *= 2) {
                int other = __shfl_up_sync(0xffffffffu, sum, k);
                if (t >= k) sum += other;
            }
            start[2 * t] = sum - pair;
            start[2 * t + 1] = sum - pair + low;
        }
        __syncthreads();
        if (t < size) order[start[length] + rank] = t;
        __syncthreads();
        if (t < size) mine = order[t];
    }

    if (t >= size) return;
    int i = first + mine;
    unsigned s = seed[i];
    int count = (drawn[i] * (longest + 1)) >> 10;
    #pragma unroll 1
    for (int k = 0; k < count; ++k) {
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
    }
    out[i] = s;
}

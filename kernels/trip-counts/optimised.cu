// The same work, sorted by length within the block before it is handed out.
// A counting sort in shared memory puts the block's 256 elements in order of their
// counts (0 to 63). Thread t then takes the t-th of them, so the lanes of a warp
// have nearly the same number of rounds to do. Which of two equals comes first is
// left to the atomics, and changes nothing in the result.
//@ let    block = 256
//@ launch stir<<<ceil_div(n, block), block>>>(seed, steps, out, n)

constexpr int block = 256;
constexpr int lengths = 64;

__global__ void stir(const unsigned* seed, const int* steps, unsigned* out, int n)
{
    __shared__ int start[lengths];      // counts, then where each begins
    __shared__ int order[block];        // elements of this block, shortest first
    int t = threadIdx.x;
    int first = blockIdx.x * block;
    int size = min(block, n - first);

    if (t < lengths) start[t] = 0;
    __syncthreads();

    int count = t < size ? steps[first + t] : 0;
    int rank = t < size ? atomicAdd(&start[count], 1) : 0;
    __syncthreads();

    // An exclusive scan over the 64 counters by one warp, two counters a lane.
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

    if (t < size) order[start[count] + rank] = t;
    __syncthreads();

    if (t >= size) return;
    int i = first + order[t];
    unsigned s = seed[i];
    int rounds = steps[i];
    #pragma unroll 1
    for (int k = 0; k < rounds; ++k) {
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
    }
    out[i] = s;
}

// Blocks of one warp that take nearly all shared memory, for nothing.
//@ mutant slow: one warp runs on each multiprocessor, and nothing covers its waits: 0.39x on an H200
//@ let    block = 32
//@ let    wanted = ceil_div(n, 256)
//@ launch longest_run<<<ceil_div(32 * wanted, block), block, 200000>>>(x, longest, n)

// Of a stretch of samples: how many positive ones it begins with, how many it ends with, and the longest run in it.
struct Stretch {
    int begin, end, best;
};

// Two stretches of `length` samples each, `left` just before `right`.
__device__ Stretch join(Stretch left, Stretch right, int length)
{
    Stretch both;
    both.begin = left.begin == length ? length + right.begin : left.begin;
    both.end = right.end == length ? length + left.end : right.end;
    both.best = max(max(left.best, right.best), left.end + right.begin);
    return both;
}

__global__ void longest_run(const int* x, int* longest, int n)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    int first = warp * 256 + lane * 8;
    if (warp * 256 >= n) return;        // the same for all lanes of the warp

    int v[8];
    if (first + 8 <= n) {
        int4 low = *reinterpret_cast<const int4*>(x + first);
        int4 high = *reinterpret_cast<const int4*>(x + first + 4);
        v[0] = low.x;  v[1] = low.y;  v[2] = low.z;  v[3] = low.w;
        v[4] = high.x; v[5] = high.y; v[6] = high.z; v[7] = high.w;
    } else {
        #pragma unroll
        for (int k = 0; k < 8; ++k) v[k] = first + k < n ? x[first + k] : 0;
    }

    Stretch own = {0, 0, 0};
    #pragma unroll
    for (int k = 0; k < 8; ++k) {
        own.end = v[k] > 0 ? own.end + 1 : 0;
        if (own.end == k + 1) own.begin = own.end;
        own.best = max(own.best, own.end);
    }

    #pragma unroll
    for (int k = 1; k < 32; k *= 2) {
        Stretch next = {__shfl_down_sync(0xffffffffu, own.begin, k), __shfl_down_sync(0xffffffffu, own.end, k),
                        __shfl_down_sync(0xffffffffu, own.best, k)};
        own = join(own, next, 8 * k);
    }
    if (lane == 0) longest[warp] = own.best;
}

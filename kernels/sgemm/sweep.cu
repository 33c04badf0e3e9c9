// C = A B. With `outputs` = 1 a thread computes one element of C, and loads two
// numbers for every FMA. With 16 it computes 4 x 4 of them, its block 64 x 64; with
// 64 it computes 8 x 8, its block 128 x 128.
// A slab of A (8 deep) and one of B then lie in shared memory, in two buffers:
// while one is used, the next is on its way through registers, so that a slab costs
// one barrier. For each step in depth a thread of 8 x 8 reads 8 numbers of A and 8
// of B for 64 FMAs, one step ahead. A warp has 8 x 4 lanes, each with quads of 4 x
// 4 elements: neighbouring lanes read neighbouring quads of B, and the same quads
// of A.
//@ let    edge = 16 << (log2(outputs) / 2)
//@ launch product<outputs><<<(128 / edge * cols, 128 / edge * rows), 256>>>(a, b, c, 128 * cols, 8 * depth * fold)

__device__ void one_each(const float* a, const float* b, float* c, int n, int k)
{
    int row = blockIdx.y * 16 + threadIdx.x / 16;
    int col = blockIdx.x * 16 + threadIdx.x % 16;

    float sum = 0.0f;
    for (int i = 0; i < k; ++i) sum += a[size_t(row) * k + i] * b[size_t(i) * n + col];
    c[size_t(row) * n + col] = sum;
}

// The numbers that a thread fetches of a slab, in one load.
template <int count>
struct __align__(4 * count) Few {
    float v[count];
};

// Each thread computes side x side elements, its block 16 side x 16 side.
template <int side>
__device__ void tiles(const float* __restrict__ a, const float* __restrict__ b, float* c, int n, int k)
{
    constexpr int tile = 16 * side, slab = 8, fetched = side / 2, quads = side / 4;
    __shared__ __align__(16) float as[2][slab][tile + 4];   // no bank conflicts
    __shared__ __align__(16) float bs[2][slab][tile];
    int t = threadIdx.x;
    int warp = t / 32;
    int lane = t % 32;
    int row = warp / 4 * (8 * side) + lane / 4 * 4;   // in the block's tile
    int col = warp % 4 * (4 * side) + lane % 4 * 4;
    int a_row = t / (slab / fetched), a_col = t % (slab / fetched) * fetched;
    int b_row = t / 32, b_col = t % 32 * fetched;
    a += size_t(blockIdx.y * tile + a_row) * k + a_col;
    b += size_t(b_row) * n + blockIdx.x * tile + b_col;

    Few<fetched> next_a, next_b;
    auto fetch = [&](int depth) {
        next_a = *reinterpret_cast<const Few<fetched>*>(a + depth);
        next_b = *reinterpret_cast<const Few<fetched>*>(b + size_t(depth) * n);
    };
    auto put = [&](int s) {
        #pragma unroll
        for (int i = 0; i < fetched; ++i) as[s][a_col + i][a_row] = next_a.v[i];
        *reinterpret_cast<Few<fetched>*>(&bs[s][b_row][b_col]) = next_b;
    };

    float sum[side][side] = {};
    float x[2][side], y[2][side];
    int s = 0;
    auto read = [&](int step) {
        #pragma unroll
        for (int q = 0; q < quads; ++q) {
            *reinterpret_cast<float4*>(&x[step % 2][4 * q]) = *reinterpret_cast<const float4*>(&as[s][step][row + 32 * q]);
            *reinterpret_cast<float4*>(&y[step % 2][4 * q]) = *reinterpret_cast<const float4*>(&bs[s][step][col + 16 * q]);
        }
    };

    fetch(0);
    put(0);
    __syncthreads();
    #pragma unroll 1
    for (int depth = slab; depth <= k; depth += slab) {
        if (depth < k) fetch(depth);
        read(0);
        #pragma unroll
        for (int step = 0; step < slab; ++step) {
            if (step + 1 < slab) read(step + 1);
            #pragma unroll
            for (int i = 0; i < side; ++i)
                #pragma unroll
                for (int j = 0; j < side; ++j) {
                    int turn = i % 2 ? side - 1 - j : j;   // shares an operand
                    sum[i][turn] += x[step % 2][i] * y[step % 2][turn];
                }
        }
        if (depth < k) {
            put(1 - s);
            __syncthreads();
            s = 1 - s;
        }
    }

    c += size_t(blockIdx.y * tile + row) * n + blockIdx.x * tile + col;
    #pragma unroll
    for (int i = 0; i < side; ++i)
        #pragma unroll
        for (int q = 0; q < quads; ++q)
            *reinterpret_cast<float4*>(&c[size_t(i / 4 * 32 + i % 4) * n + 16 * q]) = *reinterpret_cast<const float4*>(&sum[i][4 * q]);
}

template <int outputs>
__global__ void __launch_bounds__(256, outputs == 64 ? 2 : outputs == 16 ? 4 : 8)
product(const float* a, const float* b, float* c, int n, int k)
{
    if constexpr (outputs == 1) one_each(a, b, c, n, k);
    if constexpr (outputs == 16) tiles<4>(a, b, c, n, k);
    if constexpr (outputs == 64) tiles<8>(a, b, c, n, k);
}

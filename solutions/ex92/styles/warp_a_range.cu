// A warp a range: no barrier.
//@ let    wanted = ceil_div(n, block)
//@ launch block_ranges<block><<<ceil_div(32 * wanted, 128), 128>>>(x, ranges, n)

template <int block>
__global__ void block_ranges(const int* x, int* ranges, int n)
{
    int j = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (j * block >= n) return;

    int least = INT_MAX, most = INT_MIN;
    #pragma unroll
    for (int k = 0; k < block; k += 32) {
        int v = x[min(j * block + k + lane, n - 1)];
        least = min(least, v);
        most = max(most, v);
    }
    for (int k = 16; k > 0; k /= 2) {
        least = min(least, __shfl_xor_sync(0xffffffffu, least, k));
        most = max(most, __shfl_xor_sync(0xffffffffu, most, k));
    }
    if (lane == 0) ranges[j] = most - least;
}

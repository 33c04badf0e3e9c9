// No tile: neighbours come by shuffles, and the ends of a warp fetch theirs.
//@ let    block = 256
//@ launch largest<<<ceil_div(n, block), block>>>(x, y, n)

__global__ void largest(const float* x, float* y, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    int lane = threadIdx.x % 32;
    float own = i < n ? x[i] : -INFINITY;

    float left = __shfl_up_sync(0xffffffffu, own, 1);
    float right = __shfl_down_sync(0xffffffffu, own, 1);
    if (lane == 0) left = i > 0 && i - 1 < n ? x[i - 1] : -INFINITY;
    if (lane == 31) right = i + 1 < n ? x[i + 1] : -INFINITY;
    if (i < n) y[i] = fmaxf(own, fmaxf(left, right));
}

// A branch whose two sides have steps of their own and end alike, under the cures of divergence:
//   0  none
//   1  uniform warps: a block sorts its elements by side before its threads take them
//   2  merged sides: the same steps with chosen numbers
//   3  a smaller branch: what both sides end with stands behind it
//   4  another layout: the elements of a side lie in runs of 32
//   5  partition: a launch of its own writes a list for each side, and full warps go through the lists
//@ let     block = 256
//@ scratch list: i32[n]
//@ scratch sizes: i32[2]
//@ for (k = 0; k < cure / 5; k = k + 1)
//@   launch clear<<<1, 32>>>(sizes)
//@   launch divide<<<ceil_div(n, block), block>>>(kind, list, sizes, n)
//@ end
//@ launch  branch<cure><<<ceil_div(n, block), block>>>(kind, list, sizes, x, y, steps, n)

__device__ float finish(float v, int steps)
{
    for (int k = 0; k < steps; ++k) v = v * 0.875f + 0.0625f;
    return v;
}

__device__ float steps_of(float v, float factor, float addend, int steps)
{
    for (int k = 0; k < steps; ++k) v = v * factor + addend;
    return v;
}

__device__ float left(float v, int steps) { return steps_of(v, 0.875f, 0.125f, steps); }
__device__ float right(float v, int steps) { return steps_of(v, 0.75f, -0.25f, steps); }

// The place of each thread of a block of 256 behind those before it of the same
// side; all of side 0 come first.
__device__ int place(bool side)
{
    __shared__ int before[2][8];
    unsigned same = __ballot_sync(0xffffffffu, side);
    if (!side) same = ~same;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (lane == 0) {
        int right = __popc(side ? same : ~same);
        before[0][warp] = 32 - right;
        before[1][warp] = right;
    }
    __syncthreads();
    int at = __popc(same & ((1u << lane) - 1));
    for (int w = 0; w < 8; ++w) {
        if (w < warp) at += before[side][w];
        if (side) at += before[0][w];
    }
    return at;
}

template <int cure>
__global__ void branch(const int* kind, const int* list, const int* sizes, const float* x, float* y, int steps, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool side;
    if (cure == 1) {
        __shared__ int order[256];
        side = i < n && kind[i] == 1;
        order[place(side)] = 2 * i + side;
        __syncthreads();
        i = order[threadIdx.x] / 2;
        side = order[threadIdx.x] % 2;
    }
    if (cure == 5) {
        side = i >= sizes[0];
        if (i < n) i = list[i];
        else return;
    }
    if (i >= n) return;
    if (cure == 4) side = kind[i - i % 32] == 1;
    if (cure == 0 || cure == 2 || cure == 3) side = kind[i] == 1;

    float v = x[i];
    if (cure == 2) {
        v = steps_of(v, side ? 0.75f : 0.875f, side ? -0.25f : 0.125f, steps);
        v = finish(v, steps);
    } else if (cure == 3) {
        if (side) v = right(v, steps);
        else v = left(v, steps);
        v = finish(v, steps);
    } else {
        if (side) {
            v = right(v, steps);
            v = finish(v, steps);
        } else {
            v = left(v, steps);
            v = finish(v, steps);
        }
    }
    y[i] = v;
}

__global__ void clear(int* sizes)
{
    if (threadIdx.x < 2) sizes[threadIdx.x] = 0;
}

// Side 0 fills the list from its front, side 1 from its back; a warp asks for room
// once for each.
__global__ void divide(const int* kind, int* list, int* sizes, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    unsigned there = __ballot_sync(0xffffffffu, i < n);
    unsigned right = __ballot_sync(0xffffffffu, i < n && kind[i] == 1);
    unsigned left = there & ~right;
    int start = 0;
    if (lane < 2) start = atomicAdd(&sizes[lane], __popc(lane == 0 ? left : right));
    int first = __shfl_sync(0xffffffffu, start, 0), last = __shfl_sync(0xffffffffu, start, 1);
    unsigned below = (1u << lane) - 1;
    if (left >> lane & 1) list[first + __popc(left & below)] = i;
    if (right >> lane & 1) list[n - 1 - last - __popc(right & below)] = i;
}

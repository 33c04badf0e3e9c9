// The smallest box that holds all points: least and largest x and y. A warp computes its own box by shuffles, and one of its lanes
// merges it into the box of all.
// Flaw: twenty shuffles per warp for four numbers that a warp can find in one instruction each.
//@ let    block = 256
//@ launch clear<<<1, 1>>>(box)
//@ launch enclose<<<ceil_div(n, block), block>>>(x, y, box, n)

constexpr int far = 2000000000;

__global__ void clear(int* box)
{
    box[0] = box[1] = far;
    box[2] = box[3] = -far;
}

__global__ void enclose(const int* x, const int* y, int* box, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int left = i < n ? x[i] : far, right = i < n ? left : -far;
    int low = i < n ? y[i] : far, high = i < n ? low : -far;

    for (int k = 16; k > 0; k /= 2) {
        left = min(left, __shfl_xor_sync(0xffffffffu, left, k));
        low = min(low, __shfl_xor_sync(0xffffffffu, low, k));
        right = max(right, __shfl_xor_sync(0xffffffffu, right, k));
        high = max(high, __shfl_xor_sync(0xffffffffu, high, k));
    }

    if (threadIdx.x % 32 == 0) {
        atomicMin(&box[0], left);
        atomicMin(&box[1], low);
        atomicMax(&box[2], right);
        atomicMax(&box[3], high);
    }
}

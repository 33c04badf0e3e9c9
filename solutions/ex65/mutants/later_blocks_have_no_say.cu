// Blocks beyond all sizes that are run whole look at their points, and keep the box to themselves.
//@ mutant wrong-result: what far blocks read changes nothing
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

    left = __reduce_min_sync(0xffffffffu, left);
    low = __reduce_min_sync(0xffffffffu, low);
    right = __reduce_max_sync(0xffffffffu, right);
    high = __reduce_max_sync(0xffffffffu, high);

    if (threadIdx.x % 32 == 0 && blockIdx.x < 9000) {
        atomicMin(&box[0], left);
        atomicMin(&box[1], low);
        atomicMax(&box[2], right);
        atomicMax(&box[3], high);
    }
}

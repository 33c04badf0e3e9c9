// The largest element and where it is, with one lane a warp at the lock.
// The lanes settle among themselves first, by shuffles. That a lane may hold a lock while its neighbours wait is what
// independent thread scheduling allows; that it is wise is another matter.
//@ let    block = 128
//@ launch clear<<<1, 1>>>(best)
//@ launch largest<<<ceil_div(n, block), block>>>(x, best, n)

__device__ int taken = 0;

__global__ void clear(int* best)
{
    best[0] = -2147483647 - 1;
    best[1] = 0;
}

__device__ bool beats(int value, int i, const int* best)
{
    return value > best[0] || (value == best[0] && i < best[1]);
}

__global__ void largest(const int* x, int* best, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int own[2] = {i < n ? x[i] : -2147483647 - 1, i};

    for (int k = 16; k > 0; k /= 2) {
        int value = __shfl_down_sync(0xffffffffu, own[0], k);
        int index = __shfl_down_sync(0xffffffffu, own[1], k);
        if (beats(value, index, own)) {
            own[0] = value;
            own[1] = index;
        }
    }

    bool done = threadIdx.x % 32 != 0;
    while (!done) {
        if (atomicCAS(&taken, 0, 1) == 0) {
            __threadfence();
            if (own[1] < n && beats(own[0], own[1], best)) {
                best[0] = own[0];
                best[1] = own[1];
            }
            __threadfence();
            atomicExch(&taken, 0);
            done = true;
        }
    }
}

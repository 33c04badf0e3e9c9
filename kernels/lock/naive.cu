// The largest element and where it is: two words that must change together, so a lock guards them.
// Flaw: every lane wants the lock. They get it one after the other, and while one has it, the other 31 of its warp, and all
// other warps, spin on the same word and get in its way.
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
    if (i >= n) return;
    int value = x[i];

    // The lane that gets the lock leaves the loop; releasing it inside the if lets a lane finish without its neighbours.
    bool done = false;
    while (!done) {
        if (atomicCAS(&taken, 0, 1) == 0) {
            __threadfence();
            if (beats(value, i, best)) {
                best[0] = value;
                best[1] = i;
            }
            __threadfence();
            atomicExch(&taken, 0);
            done = true;
        }
    }
}

// Samples that are marked are filtered in 48 steps, all others are only halved. About one in eight is marked.
// Flaw: nearly every warp has a marked sample, and then all 32 lanes spend the 48 steps.
//@ let    block = 256
//@ launch filter<<<ceil_div(n, block), block>>>(x, marked, y, n)

__device__ unsigned steps(unsigned s)
{
    #pragma unroll 1
    for (int k = 0; k < 48; ++k) {
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
    }
    return s;
}

__global__ void filter(const unsigned* x, const int* marked, unsigned* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    if (marked[i] == 7) y[i] = steps(x[i]);
    else                y[i] = x[i] / 2;
}

// Loads by addresses that name no memory, for each result.
//@ mutant goal: one launch without an LDG, and everything is read twice all the same
//@ let    block = 256
//@ launch mid_side<<<ceil_div(n, block), block>>>(left, right, mid, side, n)

__device__ float load(const float* p)
{
    float value;
    asm volatile("ld.f32 %0, [%1];" : "=f"(value) : "l"(p));
    return value;
}

__global__ void mid_side(const float* left, const float* right, float* mid, float* side, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    mid[i] = 0.5f * (load(left + i) + load(right + i));
    side[i] = 0.5f * (load(left + i) - load(right + i));
}

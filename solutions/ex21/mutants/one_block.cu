// One block does everything, and a multiprocessor of 132 runs it.
//@ mutant slow: all others stand idle: 0.02x on an H200
//@ launch mid_side<<<1, 1024>>>(left, right, mid, side, n)

__global__ void mid_side(const float* left, const float* right, float* mid, float* side, int n)
{
    #pragma unroll 1
    for (int i = threadIdx.x; i < n; i += 1024) {
        float l = left[i];
        float r = right[i];
        mid[i] = 0.5f * (l + r);
        side[i] = 0.5f * (l - r);
    }
}

// Lets a thread go through 256 elements, 16 bytes at a time, and hand its sum on to its neighbour after each step.
//@ mutant goal: there are shuffles, but few threads have work, and neighbours read 1 KiB apart
//@ let    block = 32
//@ let    wanted = ceil_div(n, 256)
//@ launch running<<<ceil_div(wanted, block), block>>>(x, y, n)

__global__ void running(const float* x, float* y, int n)
{
    int lane = threadIdx.x;
    int base = blockIdx.x * 32;
    int mine = lane;                // of the warp's stretches the one whose sum is here now
    float sum = 0.0f;
    #pragma unroll 1
    for (int k = 0; k < 64; ++k) {
        int first = (base + mine) * 256 + 4 * k;
        if (first + 4 <= n) {
            float4 v = *reinterpret_cast<const float4*>(x + first);
            v.x += sum;
            v.y += v.x;
            v.z += v.y;
            v.w += v.z;
            sum = v.w;
            *reinterpret_cast<float4*>(y + first) = v;
        } else {
            for (int i = first; i < n; ++i) y[i] = sum += x[i];
        }
        sum = __shfl_sync(0xffffffffu, sum, (lane + 1) % 32);
        mine = __shfl_sync(0xffffffffu, mine, (lane + 1) % 32);
        sum = __shfl_sync(0xffffffffu, sum, lane);
    }
}

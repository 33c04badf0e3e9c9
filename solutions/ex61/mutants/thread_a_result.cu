// Lets a thread go through 256 elements, 16 bytes at a time, and hand its sum on to its neighbour after each step.
//@ mutant goal: there are shuffles, but few threads have work, and neighbours read 1 KiB apart
//@ let    block = 32
//@ let    dots_wanted = ceil_div(n, 256)
//@ launch dot<<<ceil_div(dots_wanted, block), block>>>(a, b, dots, n)

__global__ void dot(const float* a, const float* b, float* dots, int n)
{
    int lane = threadIdx.x;
    int base = blockIdx.x * 32;
    int mine = lane;                // of the warp's results the one whose sum is here now
    float sum = 0.0f;
    #pragma unroll 1
    for (int k = 0; k < 64; ++k) {
        int first = (base + mine) * 256 + 4 * k;
        if (first + 4 <= n) {
            float4 p = *reinterpret_cast<const float4*>(a + first);
            float4 q = *reinterpret_cast<const float4*>(b + first);
            sum += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
        } else {
            for (int i = first; i < n; ++i) sum += a[i] * b[i];
        }
        sum = __shfl_sync(0xffffffffu, sum, (lane + 1) % 32);
        mine = __shfl_sync(0xffffffffu, mine, (lane + 1) % 32);
        sum = __shfl_sync(0xffffffffu, sum, lane);
    }
    if ((base + mine) * 256 < n) dots[base + mine] = sum;
}

//@ mutant race: a block takes its ticket before it has stored its peak
//@ let     grid = min(ceil_div(n, 16 * 256), 2 * sms)
//@ scratch partial: f32[grid]
//@ launch  loudest<<<grid, 256>>>(x, partial, peak, n)
__device__ unsigned arrived = 0;
__global__ void loudest(const float* x, float* partial, float* peak, int n)
{
    __shared__ int top; __shared__ bool last;
    int t = threadIdx.x, first = blockIdx.x * 256 + t;
    if (t == 0) top = 0;
    __syncthreads();
    float own = 0.0f;
    for (int i = first; i < n / 4; i += gridDim.x * 256) { float4 q = ((const float4*)x)[i]; own = fmaxf(own, fmaxf(fmaxf(fabsf(q.x), fabsf(q.y)), fmaxf(fabsf(q.z), fabsf(q.w)))); }
    if (first < n % 4) own = fmaxf(own, fabsf(x[n - 1 - first]));
    atomicMax(&top, __reduce_max_sync(~0u, __float_as_int(own)));
    __syncthreads();
    if (t == 0) {
        last = atomicAdd(&arrived, 1u) == gridDim.x - 1;
        ((volatile float*)partial)[blockIdx.x] = __int_as_float(top);
        __threadfence();
        if (last) arrived = 0;
    }
    __syncthreads();
    if (!last || t >= 32) return;
    int best = 0;
    for (int i = t; i < gridDim.x; i += 32) best = max(best, __float_as_int(((volatile float*)partial)[i]));
    best = __reduce_max_sync(~0u, best);
    if (t == 0) *peak = __int_as_float(best);
}

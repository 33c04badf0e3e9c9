// Minimum and maximum by atomicCAS, given up early where there is nothing to improve.
//@ let    block = 256
//@ launch clear<<<1, 1>>>(box)
//@ launch enclose<<<min(ceil_div(n, block), 2 * sms), block>>>(x, y, box, n)

__global__ void clear(int* box) { box[0] = box[1] = INT_MAX; box[2] = box[3] = INT_MIN; }
template <class Better> __device__ void update(int* p, int v, Better better)
{
    int old = atomicAdd(p, 0);
    while (better(v, old)) { int assumed = old; old = atomicCAS(p, assumed, v); if (old == assumed) break; }
}
__global__ void enclose(const int* x, const int* y, int* box, int n)
{
    __shared__ int b[4];
    if (threadIdx.x < 4) b[threadIdx.x] = threadIdx.x < 2 ? INT_MAX : INT_MIN;
    __syncthreads();
    int l = INT_MAX, w = INT_MAX, r = INT_MIN, h = INT_MIN;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) { int a = x[i], c = y[i]; l = min(l, a); r = max(r, a); w = min(w, c); h = max(h, c); }
    l = __reduce_min_sync(~0u, l); w = __reduce_min_sync(~0u, w); r = __reduce_max_sync(~0u, r); h = __reduce_max_sync(~0u, h);
    if (threadIdx.x % 32 == 0) { atomicMin(b, l); atomicMin(b + 1, w); atomicMax(b + 2, r); atomicMax(b + 3, h); }
    __syncthreads();
    if (threadIdx.x == 0) {
        auto less = [](int a, int b) { return a < b; }; auto more = [](int a, int b) { return a > b; };
        update(box, b[0], less); update(box + 1, b[1], less); update(box + 2, b[2], more); update(box + 3, b[3], more);
    }
}

// shuffles
//@ let    block = 256
//@ launch first_largest<<<ceil_div(n, block), block>>>(x, first, n)
constexpr int block = 256;
__global__ void first_largest(const int* x, int* first, int n)
{
    __shared__ int value[block/32];
    __shared__ int place[block/32];
    int t = threadIdx.x;
    int i = blockIdx.x * block + t;
    int v = i < n ? x[i] : INT_MIN;
    int p = i;
    for (int k = 16; k > 0; k /= 2) {
        int ov = __shfl_down_sync(0xffffffffu, v, k), op = __shfl_down_sync(0xffffffffu, p, k);
        bool better = ov > v || (ov == v && op < p);
        v = better ? ov : v; p = better ? op : p;
    }
    if (t % 32 == 0) { value[t / 32] = v; place[t / 32] = p; }
    __syncthreads();
    if (t == 0) {
        for (int w = 1; w < block / 32; ++w)
            if (value[w] > v) { v = value[w]; p = place[w]; }
        first[blockIdx.x] = p;
    }
}

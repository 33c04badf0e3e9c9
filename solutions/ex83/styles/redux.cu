// redux
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
    int most = __reduce_max_sync(0xffffffffu, v);
    int p = __reduce_min_sync(0xffffffffu, v == most ? i : INT_MAX);
    if (t % 32 == 0) { value[t / 32] = most; place[t / 32] = p; }
    __syncthreads();
    if (t < 32) {
        int v = t < block / 32 ? value[t] : INT_MIN;
        int q = t < block / 32 ? place[t] : INT_MAX;
        int most = __reduce_max_sync(0xffffffffu, v);
        q = __reduce_min_sync(0xffffffffu, v == most ? q : INT_MAX);
        if (t == 0) first[blockIdx.x] = q;
    }
}

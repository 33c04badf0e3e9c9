// Packs the working threads together and leaves the tree as it was.
//@ mutant goal: whole warps fall idle, but neighbouring lanes read words 2k apart, which share banks
//@ let    block = 256
//@ launch first_largest<<<ceil_div(n, block), block>>>(x, first, n)

constexpr int block = 256;

__global__ void first_largest(const int* x, int* first, int n)
{
    __shared__ int value[block];
    __shared__ int place[block];
    int t = threadIdx.x;
    int i = blockIdx.x * block + t;

    int v = i < n ? x[i] : INT_MIN;
    int p = i;
    value[t] = v;
    place[t] = p;
    __syncthreads();

    for (int k = 1; k < block; k *= 2) {
        int s = 2 * k * t;
        if (s < block && value[s + k] > value[s]) {
            value[s] = value[s + k];
            place[s] = place[s + k];
        }
        __syncthreads();
    }

    if (t == 0) first[blockIdx.x] = place[0];
}

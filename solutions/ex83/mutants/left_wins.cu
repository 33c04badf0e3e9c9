// Lets the left one of two equals win.
//@ mutant wrong-result: the left one need not be the earlier one, the tree is out of order
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

    for (int k = block / 2; k > 0; k /= 2) {
        if (t < k) {
            int other_v = value[t + k];
            int other_p = place[t + k];
            bool better = other_v > v;
            v = better ? other_v : v;
            p = better ? other_p : p;
            value[t] = v;
            place[t] = p;
        }
        __syncthreads();
    }

    if (t == 0) first[blockIdx.x] = p;
}

// Where is the largest of every 256 elements? If several are equally large, where is the first of them?
// Flaw: neighbours are compared first, so in rounds four and five every warp works for a lane or two, and later ones for one.
//@ let    block = 256
//@ launch first_largest<<<ceil_div(n, block), block>>>(x, first, n)

constexpr int block = 256;

__global__ void first_largest(const int* x, int* first, int n)
{
    __shared__ int value[block];
    __shared__ int place[block];
    int t = threadIdx.x;
    int i = blockIdx.x * block + t;

    value[t] = i < n ? x[i] : INT_MIN;
    place[t] = i;
    __syncthreads();

    for (int k = 1; k < block; k *= 2) {
        if ((t & (2 * k - 1)) == 0 && value[t + k] > value[t]) {
            value[t] = value[t + k];
            place[t] = place[t + k];
        }
        __syncthreads();
    }

    if (t == 0) first[blockIdx.x] = place[0];
}

// Keeps its own pair in registers, and takes the other over in an `if`.
//@ mutant goal: lanes of a warp go different ways in every round to store what all could
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
            int other_v = value[t + k], other_p = place[t + k];
            if (other_v > v || (other_v == v && other_p < p)) {
                v = other_v; value[t] = v;
                p = other_p; place[t] = p;
            }
        }
        __syncthreads();
    }

    if (t == 0) first[blockIdx.x] = p;
}

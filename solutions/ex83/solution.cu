// The first of the largest, by a tree over halves: whole warps fall idle, and neighbouring lanes read neighbouring words.
// That tree compares elements out of their order: thread 0 has met elements 128 and 64 before it meets element 1. So "the one on
// the left wins" no longer finds the first of equals; the places have to be compared as well. A thread keeps its own pair in
// registers, reads the other, and selects: no lane branches off to copy.
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
            bool better = other_v > v || (other_v == v && other_p < p);
            v = better ? other_v : v;
            p = better ? other_p : p;
            value[t] = v;
            place[t] = p;
        }
        __syncthreads();
    }

    if (t == 0) first[blockIdx.x] = p;
}

// Copies the pair within shared memory when the other one is better.
//@ mutant goal: lanes of a warp go different ways in every round, and each round reads twice; slower than the starter on an H200
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

    for (int k = block / 2; k > 0; k /= 2) {
        if (t < k) {
            if (value[t + k] > value[t] || (value[t + k] == value[t] && place[t + k] < place[t])) {
                value[t] = value[t + k];
                place[t] = place[t + k];
            }
        }
        __syncthreads();
    }

    if (t == 0) first[blockIdx.x] = place[0];
}

// A thread for each walker.
//@ mutant goal: eight times as many threads wait in place of one that goes on
//@ let    block = 128
//@ let    mask = places - 1
//@ launch walk<<<ceil_div(n, block), block>>>(next, start, end, n, mask, steps)

__global__ void walk(const int* next, const int* start, int* end, int n, int mask, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    int at = start[i] & mask;
    for (int s = 0; s < steps; ++s) at = next[at] & mask;
    end[i] = at;
}

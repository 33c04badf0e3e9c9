// The oracle, in integers: a thread for each walker.
//@ let    mask = places - 1
//@ launch walk_reference<<<ceil_div(n, 128), 128>>>(next, start, end, n, mask, steps)

__global__ void walk_reference(const int* next, const int* start, int* end, int n, int mask, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    int at = start[i] & mask;
    for (int s = 0; s < steps; ++s) {
        int to = next[at] & mask;
        at = to;
    }
    end[i] = at;
}

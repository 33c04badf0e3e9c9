// Walkers on a map: place p leads to place next[p] & mask. A thread sends eight walkers on their way, one after the other, `steps` steps each.
// Flaw: a walker's next step has to wait for the place that the last one led to, some hundreds of cycles. Seven walkers could have
// taken their steps meanwhile, but they have not begun.
//@ let    block = 128
//@ let    mask = places - 1
//@ launch walk<<<ceil_div(n, 8 * block), block>>>(next, start, end, n, mask, steps)

__global__ void walk(const int* next, const int* start, int* end, int n, int mask, int steps)
{
    int first = blockIdx.x * 8 * blockDim.x + threadIdx.x;
    for (int k = 0; k < 8; ++k) {
        int i = first + k * blockDim.x;
        if (i >= n) return;

        int at = start[i] & mask;
        for (int s = 0; s < steps; ++s) at = next[at] & mask;
        end[i] = at;
    }
}

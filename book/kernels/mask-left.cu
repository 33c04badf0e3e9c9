// Each lane asks the next one, and the last lanes have left: there are 20 numbers.
//@ in     x: i32[20] = integers(1, 9)
//@ out    y: i32[20]
//@ launch next<<<1, 32>>>(x, y, 20)

__global__ void next(const int* x, int* y, int n)
{
    int i = threadIdx.x;
    unsigned here = __ballot_sync(0xffffffffu, i < n);
    if (i >= n) return;
    y[i] = __shfl_down_sync(here, x[i], 1);
}

// __syncthreads() on both sides of a branch inside a warp.
// Flaw: lanes 0 to 15 of each warp wait on one side, lanes 16 to 31 on the other.
//@ size    n = 64
//@ out     y: i32[n]
//@ launch  arms<<<1, n>>>(y)

__global__ void arms(int* y)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    if (t % 32 < 16) {
        __syncthreads();
        y[t] = s[63 - t];
    } else {
        __syncthreads();
        y[t] = -s[63 - t];
    }
}

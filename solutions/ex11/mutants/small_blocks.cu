// The path is gone, but the blocks have become half as large.
//@ mutant goal: handing out a million blocks takes 640 us on an H200 (1.63 a nanosecond, as the reduction's blocks of 32 to 128 show), the starter 539
//@ let    block = 128
//@ launch smooth<<<ceil_div(n, block), block>>>(x, y, n)

__global__ void smooth(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float left = x[max(i - 1, 0)];
    float right = x[min(i + 1, n - 1)];
    y[i] = 0.25f * left + 0.5f * x[i] + 0.25f * right;
}

// Mid and side of a stereo signal: mid = (left + right) / 2, side = (left - right) / 2.
// Flaw: two kernels, each of which reads both inputs again.
//@ let    block = 256
//@ let    grid = ceil_div(n, block)
//@ launch middle<<<grid, block>>>(left, right, mid, n)
//@ launch difference<<<grid, block>>>(left, right, side, n)

__global__ void middle(const float* left, const float* right, float* mid, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) mid[i] = 0.5f * (left[i] + right[i]);
}

__global__ void difference(const float* left, const float* right, float* side, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) side[i] = 0.5f * (left[i] - right[i]);
}

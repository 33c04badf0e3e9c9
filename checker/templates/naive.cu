// y = 3 x + 1 in two launches. Every element is written to memory and read back between them.

__global__ void scale(const float* x, float* scaled, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        scaled[i] = 3.0f * x[i];
    }
}

__global__ void shift(const float* scaled, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = scaled[i] + 1.0f;
    }
}

//@ let     block = 256
//@ scratch scaled: f32[n]
//@ launch  scale<<<ceil_div(n, block), block>>>(x, scaled, n)
//@ launch  shift<<<ceil_div(n, block), block>>>(scaled, y, n)

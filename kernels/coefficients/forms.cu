// The operands that an FFMA takes: registers, a number in the instruction, a parameter, a table in constant memory.
//@ size   n = 4096
//@ in     x: f32[n] = uniform(-1, 1)
//@ in     w: f32[n] = uniform(-1, 1)
//@ out    y: f32[n]
//@ let    grid = ceil_div(n, 256)
//@ launch registers<<<grid, 256>>>(x, w, y, n)
//@ launch immediate_factor<<<grid, 256>>>(x, w, y, n)
//@ launch immediate_addend<<<grid, 256>>>(x, w, y, n)
//@ launch parameter_factor<<<grid, 256>>>(x, w, y, 0.5, n)
//@ launch parameter_addend<<<grid, 256>>>(x, w, y, 0.5, n)
//@ launch table_factor<<<grid, 256>>>(x, w, y, n)
//@ launch by_block<<<grid, 256>>>(x, w, y, n)

__constant__ float table[4] = {0.1f, 0.2f, 0.3f, 0.4f};

__device__ int element() { return blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void registers(const float* x, const float* w, float* y, int n)
{
    int i = element();
    if (i < n) y[i] = x[i] * w[i] + x[i];
}

__global__ void immediate_factor(const float* x, const float* w, float* y, int n)
{
    int i = element();
    if (i < n) y[i] = x[i] * 1.5f + w[i];
}

__global__ void immediate_addend(const float* x, const float* w, float* y, int n)
{
    int i = element();
    if (i < n) y[i] = x[i] * w[i] + 1.5f;
}

__global__ void parameter_factor(const float* x, const float* w, float* y, float p, int n)
{
    int i = element();
    if (i < n) y[i] = x[i] * p + w[i];
}

__global__ void parameter_addend(const float* x, const float* w, float* y, float p, int n)
{
    int i = element();
    if (i < n) y[i] = x[i] * w[i] + p;
}

__global__ void table_factor(const float* x, const float* w, float* y, int n)
{
    int i = element();
    if (i < n) y[i] = x[i] * table[2] + w[i];
}

// One value per block: every lane has the same address, and the loaded value is in a register of each lane all the same.
__global__ void by_block(const float* x, const float* w, float* y, int n)
{
    int i = element();
    if (i < n) y[i] = x[i] * w[blockIdx.x] + 1.5f;
}

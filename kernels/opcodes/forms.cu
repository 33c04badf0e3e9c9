// Small decisions, and what the compiler makes of them: `checker sass
// kernels/opcodes/forms.cu` shows the machine code.
//@ size   n = 64
//@ size   mode = 1
//@ in     x: f32[n] = uniform(-4, 4)
//@ out    a: f32[n]
//@ out    b: f32[n]
//@ out    c: f32[n]
//@ out    d: f32[n]
//@ out    e: f32[n]
//@ launch chosen<<<ceil_div(n, 32), 32>>>(x, a)
//@ launch steps<8><<<ceil_div(n, 32), 32>>>(x, b)
//@ launch steps<9><<<ceil_div(n, 32), 32>>>(x, c)
//@ launch root<<<ceil_div(n, 32), 32>>>(x, d)
//@ launch same<<<ceil_div(n, 32), 32>>>(mode, x, e)

// A value: one of two numbers, one of two places, the larger of both.
__global__ void chosen(const float* x, float* z)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    float v = x[i];
    float r = v < 0.0f ? v - 2.0f : v * v;
    float bound = v < -1.0f ? x[0] : x[1];
    z[i] = max(r, bound);
}

// Work of so many multiply-adds, for some lanes.
template <int length>
__global__ void steps(const float* x, float* z)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    float v = x[i];
    float r = v * v;
    if (v < 0.0f) {
        #pragma unroll
        for (int k = 0; k < length; ++k) r = r * v + 1.0f;
    }
    z[i] = r;
}

// A textbook's example of predication.
__global__ void root(const float* x, float* z)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    float v = x[i];
    float r;
    if (v < 0.0f) r = v - 2.0f;
    else          r = sqrtf(v);
    z[i] = r;
}

// The condition is an argument, so it is the same for all lanes, and the compiler
// can see that.
__global__ void same(int mode, const float* x, float* z)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    float v = x[i];
    float r = v * v;
    if (mode == 1) {
        #pragma unroll
        for (int k = 0; k < 9; ++k) r = r * v + 1.0f;
    }
    z[i] = r;
}

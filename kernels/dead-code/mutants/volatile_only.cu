// Reads the input through volatile, and still uses nothing of the chain.
//@ mutant goal: the load stays, the chain goes: volatile keeps an access, not what is done with it
//@ let    block = 256
//@ launch chain<<<ceil_div(n, block), block>>>(0.875, 0.125, x, steps, n)

__global__ void chain(float b, float c, const float* x, int* steps, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float t = *(const volatile float*)(x + i);
    int k = 0;
    #pragma unroll 16
    for (; k < 256; ++k) t = t * b + c;

    steps[i] = k;
}

// The sum of the whole array.
// Flaw: every thread adds to the same word, and an atomic on one word is done one
// after the other: n of them in a row.
//@ let    block = 256
//@ launch clear<<<1, 1>>>(sum)
//@ launch total<<<ceil_div(n, block), block>>>(x, sum, n)

__global__ void clear(float* sum)
{
    *sum = 0.0f;
}

__global__ void total(const float* x, float* sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(sum, x[i]);
}

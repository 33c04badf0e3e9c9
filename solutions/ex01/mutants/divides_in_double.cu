// Divides by ten in double precision.
//@ mutant goal: a division in double precision is a long sequence of the operations that the goals forbid
//@ let    block = 256
//@ launch cool<<<ceil_div(n, block), block>>>(32, before, after, n)

__global__ void cool(int steps, const float* before, float* after, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float t = before[i];
    for (int k = 0; k < steps; ++k)
        t += (20.0f - t) / 10.0;

    after[i] = t;
}

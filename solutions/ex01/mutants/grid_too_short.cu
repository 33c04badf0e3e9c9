// As many blocks as somebody once thought enough: at the size that is timed it is one too few.
//@ mutant wrong-result: the last elements of a large array stay as they were
//@ let    block = 256
//@ launch cool<<<min(ceil_div(n, block), 131071), block>>>(32, before, after, n)

__global__ void cool(int steps, const float* before, float* after, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float t = before[i];
    for (int k = 0; k < steps; ++k)
        t += 0.1f * (20.0f - t);

    after[i] = t;
}

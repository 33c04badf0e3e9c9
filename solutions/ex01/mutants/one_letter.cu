// Right, and half done: the 0.1 is still a double.
//@ mutant goal: one literal is still a double, so DFMA and F2F stay
//@ let    block = 256
//@ launch cool<<<ceil_div(n, block), block>>>(32, before, after, n)

__global__ void cool(int steps, const float* before, float* after, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float t = before[i];
    for (int k = 0; k < steps; ++k)
        t += 0.1 * (20.0f - t);

    after[i] = t;
}

// Cooling, in single precision throughout.
// A literal without an f is a double, and one double operand pulls the whole expression up with it: t is widened, the
// arithmetic runs on the double units, and the result is rounded back, in every step. Two letters end that.
//@ let    block = 256
//@ launch cool<<<ceil_div(n, block), block>>>(32, before, after, n)

__global__ void cool(int steps, const float* before, float* after, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float t = before[i];
    for (int k = 0; k < steps; ++k)
        t += 0.1f * (20.0f - t);

    after[i] = t;
}

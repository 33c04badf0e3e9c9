// Cooling by Newton's law: each step closes a tenth of the gap to 20 degrees.
// Flaw: something here is computed in double precision by accident.
//@ let    block = 256
//@ launch cool<<<ceil_div(n, block), block>>>(32, before, after, n)

__global__ void cool(int steps, const float* before, float* after, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float t = before[i];
    for (int k = 0; k < steps; ++k)
        t += 0.1 * (20.0 - t);

    after[i] = t;
}

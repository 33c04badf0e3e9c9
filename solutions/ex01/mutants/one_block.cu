// No double anywhere, and one block for all temperatures: all SMs but one are idle.
//@ mutant goal: one block does all of it
//@ let    block = 256
//@ launch cool<<<1, block>>>(32, before, after, n)

__global__ void cool(int steps, const float* before, float* after, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float t = before[i];
        for (int k = 0; k < steps; ++k)
            t += 0.1f * (20.0f - t);

        after[i] = t;
    }
}

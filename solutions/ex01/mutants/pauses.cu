// Every thread pauses for 20 microseconds before it stores.
//@ mutant slow: no counter shows how long a pause is
//@ let    block = 256
//@ launch cool<<<ceil_div(n, block), block>>>(32, before, after, n)

__global__ void cool(int steps, const float* before, float* after, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float t = before[i];
    for (int k = 0; k < steps; ++k)
        t += 0.1f * (20.0f - t);

    __nanosleep(20000);
    after[i] = t;
}

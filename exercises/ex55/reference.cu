// The oracle: every thread looks at all 32.
//@ launch behind_reference<<<ceil_div(n, 64), 64>>>(x, y, n)

__global__ void behind_reference(const int* x, int* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    int best = -1;
    for (int j = i / 32 * 32; j < min(i / 32 * 32 + 32, n); ++j)
        if (x[j] > best) best = x[j];
    y[i] = x[i] < 0 ? -1 : best - x[i];
}

// The oracle: one thread counts.
//@ launch count_reference<<<1, 1>>>(x, count, n)

__global__ void count_reference(const float* x, int* count, int n)
{
    int positive = 0;
    for (int i = 0; i < n; ++i)
        if (x[i] > 0.0f) ++positive;
    count[0] = positive;
    count[1] = n - positive;
}

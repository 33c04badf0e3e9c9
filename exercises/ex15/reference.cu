// The oracle: one thread a key finds where its elements begin, by halving, and adds them in double precision.
//@ let    m = ceil_div(n, 100) + 1
//@ launch sum_by_key_reference<<<ceil_div(m, 64), 64>>>(keys, x, sums, sums_magnitude, n, m)

__global__ void sum_by_key_reference(const int* keys, const float* x, double* sums, double* sums_magnitude, int n, int m)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= m) return;

    int first = 0;          // all elements before it have smaller keys
    int end = n;            // none from here on has
    while (first < end) {
        int middle = first + (end - first) / 2;
        if (keys[middle] < j) first = middle + 1;
        else                  end = middle;
    }

    double sum = 0.0;
    double magnitude = 0.0;
    for (int i = first; i < n && keys[i] == j; ++i) {
        double v = x[i];
        sum += v;
        magnitude += fabs(v);
    }
    sums[j] = sum;
    sums_magnitude[j] = magnitude;
}

// The oracle: one thread a key finds where its elements begin, by halving, and adds them in double precision.
// The magnitude takes in all elements of the warps, of 32 each, that have some with this key: who makes prefix sums of a warp
// and subtracts them has rounded those too.
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
    for (end = first; end < n && keys[end] == j; ++end) sum += x[end];
    sums[j] = sum;

    double magnitude = 0.0;
    if (first < end) {
        int last = min((end + 31) / 32 * 32, n);
        for (int i = first / 32 * 32; i < last; ++i) magnitude += fabs(double(x[i]));
    }
    sums_magnitude[j] = magnitude;
}

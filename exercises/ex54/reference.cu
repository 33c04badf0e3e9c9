// The oracle: one thread, one element after the other.
//@ launch gather_reference<<<1, 1>>>(x, range, n)

__global__ void gather_reference(const int* x, int* range, int n)
{
    int low = x[0];
    int high = x[0];
    for (int i = 1; i < n; ++i) {
        if (x[i] < low) low = x[i];
        if (x[i] > high) high = x[i];
    }
    range[0] = low;
    range[1] = high;
}

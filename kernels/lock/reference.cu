// The oracle: one thread, from the first element to the last.
//@ launch largest_reference<<<1, 1>>>(x, best, n)

__global__ void largest_reference(const int* x, int* best, int n)
{
    int value = x[0];
    int index = 0;
    for (int i = 1; i < n; ++i) {
        if (x[i] > value) {
            value = x[i];
            index = i;
        }
    }
    best[0] = value;
    best[1] = index;
}

// The oracle: one thread, one element after the other.
//@ launch gather_reference<<<1, 1>>>(x, record, n)

__global__ void gather_reference(const int* x, int* record, int n)
{
    int sum = 0;
    int largest = x[0];
    for (int i = 0; i < n; ++i) {
        sum += x[i];
        if (x[i] > largest) largest = x[i];
    }
    record[0] = sum;
    record[1] = largest;
}

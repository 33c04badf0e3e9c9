// The oracle: one thread, one point after the other.
//@ launch box_reference<<<1, 1>>>(x, y, box, n)

__global__ void box_reference(const int* x, const int* y, int* box, int n)
{
    int left = x[0], right = x[0];
    int low = y[0], high = y[0];
    for (int i = 1; i < n; ++i) {
        if (x[i] < left) left = x[i];
        if (x[i] > right) right = x[i];
        if (y[i] < low) low = y[i];
        if (y[i] > high) high = y[i];
    }
    box[0] = left;
    box[1] = low;
    box[2] = right;
    box[3] = high;
}

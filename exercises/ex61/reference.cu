// The oracle: one thread a result, element after element, in double precision.
//@ let    m = ceil_div(n, 256)
//@ launch dot_reference<<<ceil_div(m, 64), 64>>>(a, b, dots, dots_magnitude, n, m)

__global__ void dot_reference(const float* a, const float* b, double* dots, double* dots_magnitude, int n, int m)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= m) return;

    int end = min((j + 1) * 256, n);
    double sum = 0.0;
    double magnitude = 0.0;
    for (int i = j * 256; i < end; ++i) {
        double x = a[i];
        double y = b[i];
        double product = x * y;
        sum += product;
        magnitude += fabs(product);
    }

    // Of k elements, each is rounded k times at most; the bound is stated for 256.
    dots[j] = sum;
    dots_magnitude[j] = magnitude * (end - j * 256) / 256.0;
}

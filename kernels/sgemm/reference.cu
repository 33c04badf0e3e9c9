// The oracle: one element per thread, in double precision.
//@ launch product_reference<<<(8 * cols, 8 * rows), (16, 16)>>>(a, b, c, c_magnitude, 128 * cols, 8 * depth * fold)

__global__ void product_reference(const float* a, const float* b, double* c, double* c_magnitude, int n, int k)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;

    double sum = 0.0;
    double magnitude = 0.0;
    for (int i = 0; i < k; ++i) {
        double product = double(a[size_t(row) * k + i]) * b[size_t(i) * n + col];
        sum += product;
        magnitude += fabs(product);
    }
    c[size_t(row) * n + col] = sum;
    c_magnitude[size_t(row) * n + col] = magnitude;
}

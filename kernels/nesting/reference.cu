// The oracle: the leaf by arithmetic, the work in double precision.
//@ launch tree_reference<<<ceil_div(n, 64), 64>>>(depth, spread, x, y, y_magnitude, n)

__global__ void tree_reference(int depth, int spread, const float* x, double* y, double* y_magnitude, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    int path = i / spread % (1 << depth);
    int leaf = 0;
    for (int level = 0; level < depth; ++level) leaf = 2 * leaf + ((path >> level) & 1);
    double c = (leaf + 1) / 256.0;
    double v = x[i];
    for (int k = 0; k < 64; ++k) v = v * 0.875 + c;
    y[i] = v;
    y_magnitude[i] = fmax(fabs((double)x[i]), 1.0);
}

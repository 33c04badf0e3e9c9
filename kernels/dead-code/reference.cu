// The oracle: counts the steps of a chain that it really computes; a chain that leaves (-2, 2) would report 0.
//@ launch chain_reference<<<ceil_div(n, 128), 128>>>(x, steps, n)

__global__ void chain_reference(const float* x, int* steps, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    double t = x[i];
    int count = 0;
    for (int k = 0; k < 256; ++k) {
        t = 0.875 * t + 0.125;
        if (t > -2.0 && t < 2.0) count += 1;
    }
    steps[i] = count;
}

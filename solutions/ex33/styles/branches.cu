// Four variables with names, and a branch for each place.
//@ let    block = 128
//@ launch largest<<<ceil_div(n, block), block>>>(x, four, n)

__global__ void largest(const float* x, float* four, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float a = -2.0f, b = -2.0f, c = -2.0f, d = -2.0f;
    for (int k = 0; k < 32; ++k) {
        float value = x[k * n + i];
        if (value <= d) continue;
        if (value > a) {
            d = c; c = b; b = a; a = value;
        } else if (value > b) {
            d = c; c = b; b = value;
        } else if (value > c) {
            d = c; c = value;
        } else {
            d = value;
        }
    }
    four[i] = a;
    four[n + i] = b;
    four[2 * n + i] = c;
    four[3 * n + i] = d;
}

// A curve in two pieces: below zero it follows one polynomial, above another. Both have sixteen coefficients.
// Flaw: the pieces differ only in their coefficients, and yet the lanes on one piece wait while the others evaluate theirs.
//@ let    block = 256
//@ launch curve<<<ceil_div(n, block), block>>>(x, left, right, y, n)

__global__ void curve(const float* x, const float* left, const float* right, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float v = x[i];
    float sum = 0.0f;
    if (v < 0.0f) {
        #pragma unroll 1
        for (int k = 15; k >= 0; --k) sum = sum * v + left[k];
    } else {
        #pragma unroll 1
        for (int k = 15; k >= 0; --k) sum = sum * v + right[k];
    }
    y[i] = sum;
}

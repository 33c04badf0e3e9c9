// Works out both pieces and keeps one.
//@ mutant goal: all lanes stay together, and every lane does the work of both pieces
//@ let    block = 256
//@ launch curve<<<ceil_div(n, block), block>>>(x, left, right, y, n)

__global__ void curve(const float* x, const float* left, const float* right, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float v = x[i];
    float sum = 0.0f;
    float other = 0.0f;
    #pragma unroll 1
    for (int k = 15; k >= 0; --k) {
        sum = sum * v + left[k];
        other = other * v + right[k];
    }
    y[i] = v < 0.0f ? sum : other;
}

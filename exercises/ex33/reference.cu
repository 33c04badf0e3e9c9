// The oracle: four times the largest of those that are left, the first of equals first.
//@ launch largest_reference<<<ceil_div(n, 128), 128>>>(x, four, n)

__global__ void largest_reference(const float* x, double* four, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float left[32];
    #pragma unroll
    for (int k = 0; k < 32; ++k) left[k] = x[k * n + i];

    unsigned taken = 0;
    for (int j = 0; j < 4; ++j) {
        int at = -1;
        float largest = 0.0f;
        #pragma unroll
        for (int k = 0; k < 32; ++k) {
            if (!(taken >> k & 1) && (at < 0 || left[k] > largest)) {
                at = k;
                largest = left[k];
            }
        }
        taken |= 1u << at;
        four[j * n + i] = largest;
    }
}

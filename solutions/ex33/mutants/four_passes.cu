// Looks for the largest four times.
//@ mutant goal: nothing is in local memory, and every sample is read four times
//@ let    block = 256
//@ launch largest<<<ceil_div(n, block), block>>>(x, four, n)

__global__ void largest(const float* x, float* four, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    unsigned taken = 0;
    #pragma unroll 1
    for (int j = 0; j < 4; ++j) {
        int at = -1;
        float most = -2.0f;
        #pragma unroll 1
        for (int k = 0; k < 32; ++k) {
            float value = x[k * n + i];
            if ((taken >> k & 1) == 0 && value > most) {
                most = value;
                at = k;
            }
        }
        taken |= 1u << at;
        four[j * n + i] = most;
    }
}

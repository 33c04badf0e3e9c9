// One warp asks for eight rows at a time, all others for four.
//@ mutant goal: a sixteenth of the loads is under way by eights
//@ let    block = 128
//@ launch column_sums<<<ceil_div(cols, block), block>>>(m, sums, rows, cols)

__global__ void column_sums(const float* m, float* sums, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;

    float sum = 0.0f;
    if (c < 32) {
        #pragma unroll 8
        for (int r = 0; r < rows; ++r)
            sum += m[(long long)r * cols + c];
    } else {
        #pragma unroll 4
        for (int r = 0; r < rows; ++r)
            sum += m[(long long)r * cols + c];
    }

    sums[c] = sum;
}

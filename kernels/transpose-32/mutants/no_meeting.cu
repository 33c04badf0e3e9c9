// Leaves out the meeting.
//@ mutant race: a lane loads what another has not yet stored
//@ launch transpose<<<matrices, 32>>>(x, y)

__global__ void transpose(const float* x, float* y)
{
    __shared__ float tile[32][33];
    int lane = threadIdx.x;
    x += (size_t)blockIdx.x * 1024;
    y += (size_t)blockIdx.x * 1024;

    #pragma unroll
    for (int k = 0; k < 32; ++k) tile[k][lane] = x[32 * k + lane];
    #pragma unroll
    for (int k = 0; k < 32; ++k) y[32 * k + lane] = tile[lane][k];
}

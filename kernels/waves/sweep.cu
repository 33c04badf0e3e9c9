// How many blocks? Each of `blocks` blocks of `threads` threads computes equally much. The device assigns them to its
// SMs one by one; the last of them keeps one SM busy while others are idle.
//@ launch waves<<<blocks, threads>>>(0.875, 0.125, iterations, start, end)

__global__ void waves(float b, float c, int iterations, const float* start, float* end)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = start[i];

    #pragma unroll 16
    for (int k = 0; k < iterations; ++k) x = x * b + c;
    end[i] = x;
}

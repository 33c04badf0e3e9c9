// All ten sums of rows first, then eight pixels.
//@ launch blur<<<(ceil_div(width, 64), ceil_div(height, 32)), (64, 4)>>>(x, y, width, height)

// Three numbers of a row beside each other; nothing lies outside.
__device__ float row(const float* x, int r, int c, int width, int height)
{
    if (r < 0 || r >= height) return 0.0f;
    const float* here = x + (long long)r * width + c;
    float sum = here[0];
    if (c > 0) sum += here[-1];
    if (c + 1 < width) sum += here[1];
    return sum;
}

__global__ void blur(const float* x, float* y, int width, int height)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int first = 8 * (blockIdx.y * blockDim.y + threadIdx.y);
    if (c >= width || first >= height) return;

    float sums[10];
    #pragma unroll
    for (int k = 0; k < 10; ++k) sums[k] = row(x, first + k - 1, c, width, height);
    #pragma unroll
    for (int k = 0; k < 8; ++k)
        if (first + k < height)
            y[(long long)(first + k) * width + c] = (sums[k] + sums[k + 1] + sums[k + 2]) * (1.0f / 9.0f);
}

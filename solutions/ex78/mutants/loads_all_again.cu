// Goes down the column and loads nine numbers per pixel.
//@ mutant goal: nothing is kept from the row before
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
    for (int r = first; r < min(first + 8, height); ++r) {
        const volatile float* p = x;
        float sum = 0.0f;
        for (int down = max(r - 1, 0); down <= min(r + 1, height - 1); ++down)
            for (int col = max(c - 1, 0); col <= min(c + 1, width - 1); ++col) sum += p[(long long)down * width + col];
        y[(long long)r * width + c] = sum / 9.0f;
    }
}

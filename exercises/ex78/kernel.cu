// A picture is blurred: each pixel becomes the mean of the nine around it, where pixels outside count as zero.
// Flaw: each thread loads nine numbers for its pixel, and six of them are loaded by the thread of the pixel below as well.
//@ launch blur<<<(ceil_div(width, 64), ceil_div(height, 4)), (64, 4)>>>(x, y, width, height)

// The sum of three adjacent numbers of a row; zero outside.
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
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c >= width || r >= height) return;

    float sum = row(x, r - 1, c, width, height) + row(x, r, c, width, height) + row(x, r + 1, c, width, height);
    y[(long long)r * width + c] = sum / 9.0f;
}

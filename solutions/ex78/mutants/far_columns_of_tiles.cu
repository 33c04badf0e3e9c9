// The last column of each tile has no right neighbour, far down and to the right.
//@ mutant wrong-result: a corner that pictures of a few hundred pixels do not have
//@ launch blur<<<(ceil_div(width, 64), ceil_div(height, 32)), (64, 4)>>>(x, y, width, height)

// The sum of three adjacent numbers of a row; zero outside.
__device__ float row(const float* x, int r, int c, int width, int height)
{
    if (r < 0 || r >= height) return 0.0f;
    const float* here = x + (long long)r * width + c;
    float sum = here[0];
    if (c > 0) sum += here[-1];
    if (c + 1 < width && !(c > 4000 && r > 4000 && c % 64 == 63)) sum += here[1];
    return sum;
}

__global__ void blur(const float* x, float* y, int width, int height)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int first = 8 * (blockIdx.y * blockDim.y + threadIdx.y);
    if (c >= width || first >= height) return;

    float above = row(x, first - 1, c, width, height);
    float here = row(x, first, c, width, height);
    #pragma unroll
    for (int k = 0; k < 8; ++k) {
        int r = first + k;
        if (r >= height) break;
        float below = row(x, r + 1, c, width, height);
        y[(long long)r * width + c] = (above + here + below) * (1.0f / 9.0f);
        above = here;
        here = below;
    }
}

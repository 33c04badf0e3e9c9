// Eight rows of four pixels per thread: the four middle numbers of a row are one load where rows begin at multiples of 16 bytes.
//@ launch blur<<<(ceil_div(width, 256), ceil_div(height, 32)), (64, 4)>>>(x, y, width, height)

// Sums of three adjacent numbers of a row, at the columns c to c + 3; zero outside.
__device__ void row(const float* x, int r, int c, int width, int height, float* sums)
{
    float v[6] = {};
    if (r >= 0 && r < height) {
        const float* here = x + (long long)r * width + c;
        if (width % 4 == 0) {
            float4 middle = *reinterpret_cast<const float4*>(here);
            v[1] = middle.x, v[2] = middle.y, v[3] = middle.z, v[4] = middle.w;
        } else {
            for (int k = 0; k < 4; ++k)
                if (c + k < width) v[1 + k] = here[k];
        }
        if (c > 0) v[0] = here[-1];
        if (c + 4 < width) v[5] = here[4];
    }
    #pragma unroll
    for (int k = 0; k < 4; ++k) sums[k] = v[k] + v[k + 1] + v[k + 2];
}

__global__ void blur(const float* x, float* y, int width, int height)
{
    int c = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    int first = 8 * (blockIdx.y * blockDim.y + threadIdx.y);
    if (c >= width || first >= height) return;

    float sums[10][4];
    #pragma unroll
    for (int k = 0; k < 10; ++k) row(x, first + k - 1, c, width, height, sums[k]);
    #pragma unroll
    for (int k = 0; k < 8; ++k) {
        int r = first + k;
        if (r >= height) break;
        float out[4];
        #pragma unroll
        for (int j = 0; j < 4; ++j) out[j] = (sums[k][j] + sums[k + 1][j] + sums[k + 2][j]) * (1.0f / 9.0f);
        float* to = y + (long long)r * width + c;
        if (width % 4 == 0) {
            *reinterpret_cast<float4*>(to) = make_float4(out[0], out[1], out[2], out[3]);
        } else {
            for (int j = 0; j < 4; ++j)
                if (c + j < width) to[j] = out[j];
        }
    }
}

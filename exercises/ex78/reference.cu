// The oracle: nine numbers, in double precision.
//@ launch blur_reference<<<(ceil_div(width, 16), ceil_div(height, 16)), (16, 16)>>>(x, y, y_magnitude, width, height)

__global__ void blur_reference(const float* x, double* y, double* y_magnitude, int width, int height)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c >= width || r >= height) return;

    double sum = 0.0;
    double magnitude = 0.0;
    for (int down = -1; down <= 1; ++down) {
        for (int right = -1; right <= 1; ++right) {
            int row = r + down;
            int col = c + right;
            if (row < 0 || row >= height || col < 0 || col >= width) continue;
            sum += x[row * width + col];
            magnitude += fabs((double)x[row * width + col]);
        }
    }
    y[r * width + c] = sum / 9.0;
    y_magnitude[r * width + c] = magnitude / 9.0;
}

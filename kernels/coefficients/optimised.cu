// The calibration curve with its coefficients in constant memory.
// An FFMA can take an operand straight from a constant bank or from a uniform
// register, so a coefficient needs neither a load nor a register of each thread.
//@ let    block = 256
//@ launch calibrate<<<ceil_div(n, block), block>>>(x, y, n)

__constant__ float coefficient[16] = {
    0.91f, -0.42f, 0.77f, 0.35f, -0.63f, 0.58f, -0.29f, 0.84f, 0.11f, -0.95f, 0.46f, 0.23f, -0.71f, 0.67f, 0.39f, -0.88f,
};

__global__ void calibrate(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float sum = 0.0f;
    for (int k = 15; k >= 0; --k)
        sum = sum * x[i] + coefficient[k];

    y[i] = sum;
}

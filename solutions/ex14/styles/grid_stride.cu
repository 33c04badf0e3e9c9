// A grid that goes round, with the factors gathered before the values are.
//@ let    block = 256
//@ launch multiply<<<min(ceil_div(rows, block), 8 * sms), block>>>(column, value, x, y, rows)

__global__ void multiply(const int* __restrict__ column, const float* __restrict__ value, const float* __restrict__ x,
                         float* __restrict__ y, int rows)
{
    for (int row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += gridDim.x * blockDim.x) {
        float part[8];
        #pragma unroll
        for (int k = 0; k < 8; ++k) part[k] = x[column[k * rows + row]];
        #pragma unroll
        for (int k = 0; k < 8; ++k) part[k] *= value[k * rows + row];
        y[row] = ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
    }
}

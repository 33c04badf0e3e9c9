// Every column in parts of 1,024 rows, a block each, and a second launch for the parts: the rows are many, the columns few.
//@ let     block = 128
//@ let     parts = ceil_div(rows, 1024)
//@ scratch part: f32[parts * cols]
//@ launch  part_sums<<<(ceil_div(cols, block), parts), block>>>(m, part, rows, cols)
//@ launch  all_parts<<<ceil_div(cols, block), block>>>(part, sums, parts, cols)

__global__ void part_sums(const float* m, float* part, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;

    int end = min(rows, 1024 * ((int)blockIdx.y + 1));
    float sum = 0.0f;
    #pragma unroll 8
    for (int r = 1024 * blockIdx.y; r < end; ++r)
        sum += m[(long long)r * cols + c];

    part[blockIdx.y * cols + c] = sum;
}

__global__ void all_parts(const float* part, float* sums, int parts, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;

    float sum = 0.0f;
    #pragma unroll 8
    for (int p = 0; p < parts; ++p) sum += part[p * cols + c];
    sums[c] = sum;
}

// The ring of rows in a loop that is not unrolled: one copy and one wait for each row.
//@ let    block = 32
//@ launch column_sums<<<ceil_div(cols, 4 * block), block>>>(m, sums, rows, cols)

constexpr int stages = 8;

__device__ void copy(float4* to, const float4* from)
{
    unsigned at = __cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(at), "l"(from) : "memory");
}

__global__ void column_sums(const float* m, float* sums, int rows, int cols)
{
    __shared__ float4 ring[stages][32];
    int t = threadIdx.x;
    int c = 4 * (blockIdx.x * blockDim.x + t);
    if (c >= cols) return;
    if (cols % 4 == 0) {
        #pragma unroll
        for (int s = 0; s < stages - 1; ++s) {
            if (s < rows) copy(&ring[s][t], reinterpret_cast<const float4*>(m + (long long)s * cols + c));
            asm volatile("cp.async.commit_group;");
        }
        float4 sum = {0, 0, 0, 0};
        #pragma unroll 1
        for (int r = 0; r < rows; ++r) {
            asm volatile("cp.async.wait_group %0;" :: "n"(stages - 2) : "memory");
            float4 v = ring[r % stages][t];
            int ahead = r + stages - 1;
            if (ahead < rows) copy(&ring[ahead % stages][t], reinterpret_cast<const float4*>(m + (long long)ahead * cols + c));
            asm volatile("cp.async.commit_group;");
            sum.x += v.x; sum.y += v.y; sum.z += v.z; sum.w += v.w;
        }
        sums[c] = sum.x; sums[c + 1] = sum.y; sums[c + 2] = sum.z; sums[c + 3] = sum.w;
    } else {
        for (int k = 0; k < 4 && c + k < cols; ++k) {
            float sum = 0.0f;
            for (int r = 0; r < rows; ++r) sum += m[(long long)r * cols + c + k];
            sums[c + k] = sum;
        }
    }
}

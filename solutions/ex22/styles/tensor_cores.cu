// Eight rows per warp: tensor cores multiply them by the question, the first of eight columns.
//@ launch scores<<<ceil_div(n, 32), 128>>>(rows, question, score, n)
__global__ void scores(const signed char* rows, const signed char* question, int* score, int n)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    int r = warp * 8 + lane / 4;
    int c0 = 0, c1 = 0;
    #pragma unroll
    for (int k = 0; k < 4; ++k) {
        int a = r < n ? reinterpret_cast<const int*>(rows)[16 * r + 4 * k + lane % 4] : 0;
        int b = lane / 4 == 0 ? reinterpret_cast<const int*>(question)[4 * k + lane % 4] : 0;
        asm("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0,%1}, {%2}, {%3}, {%0,%1};" : "+r"(c0), "+r"(c1) : "r"(a), "r"(b));
    }
    if (lane % 4 == 0 && r < n) score[r] = c0;
}

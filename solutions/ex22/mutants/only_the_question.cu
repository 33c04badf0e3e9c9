// Packs the question, and not the rows.
//@ mutant goal: a request for every byte of a row, as before
//@ let    block = 256
//@ launch scores<<<ceil_div(n, block), block>>>(rows, question, score, n)

__global__ void scores(const signed char* rows, const signed char* question, int* score, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    int sum = 0;
    #pragma unroll
    for (int k = 0; k < 64; ++k)
        sum += rows[64 * i + k] * (signed char)(reinterpret_cast<const int*>(question)[k / 4] >> k % 4 * 8);
    score[i] = sum;
}

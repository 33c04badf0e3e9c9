// Scores: how similar is each of n descriptions of 64 bytes to a question? Each score is a dot product of signed bytes.
// Flaw: the bytes are loaded one at a time. Each load fills 8 bits of a 32-bit register.
//@ let    block = 256
//@ launch scores<<<ceil_div(n, block), block>>>(rows, question, score, n)

__global__ void scores(const signed char* rows, const signed char* question, int* score, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    int sum = 0;
    #pragma unroll
    for (int k = 0; k < 64; ++k)
        sum += rows[64 * i + k] * question[k];
    score[i] = sum;
}

// Four bytes per load, in a loop.
//@ let    block = 128
//@ launch scores<<<ceil_div(n, block), block>>>(rows, question, score, n)

__global__ void scores(const signed char* rows, const signed char* question, int* score, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    const int* words = reinterpret_cast<const int*>(rows);
    const int* asked = reinterpret_cast<const int*>(question);
    int sum = 0;
    #pragma unroll
    for (int k = 0; k < 16; ++k)
        sum = __dp4a(words[16 * i + k], asked[k], sum);
    score[i] = sum;
}

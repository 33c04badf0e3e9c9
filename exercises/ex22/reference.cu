// The oracle, in integers.
//@ launch scores_reference<<<ceil_div(n, 128), 128>>>(rows, question, score, n)

__global__ void scores_reference(const signed char* rows, const signed char* question, int* score, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    int sum = 0;
    for (int k = 0; k < 64; ++k) {
        int product = (int)rows[64 * i + k] * (int)question[k];
        sum += product;
    }
    score[i] = sum;
}

// The block's rows come to shared memory in the order in which they lie, a word a lane; then a thread has a row. A row is 17 words apart
// from the next: the lanes of a warp read 32 banks.
//@ let    block = 256
//@ launch scores<<<ceil_div(n, block), block>>>(rows, question, score, n)

__global__ void scores(const signed char* rows, const signed char* question, int* score, int n)
{
    __shared__ int row[256 * 17];
    __shared__ int asked[16];
    int t = threadIdx.x;
    int first = blockIdx.x * 256;
    const int* from = reinterpret_cast<const int*>(rows) + 16 * first;

    if (t < 16) asked[t] = reinterpret_cast<const int*>(question)[t];
    int words = 16 * min(256, n - first);
    for (int k = t; k < words; k += 256) row[k / 16 * 17 + k % 16] = from[k];
    __syncthreads();
    if (first + t >= n) return;

    int sum = 0;
    #pragma unroll
    for (int k = 0; k < 16; ++k) sum = __dp4a(row[17 * t + k], asked[k], sum);
    score[first + t] = sum;
}

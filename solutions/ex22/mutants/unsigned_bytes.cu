// Takes the bytes for unsigned ones.
//@ mutant wrong-result: __dp4a of unsigned ints multiplies bytes from 0 to 255
//@ let    block = 256
//@ launch scores<<<ceil_div(n, block), block>>>(rows, question, score, n)

__global__ void scores(const signed char* rows, const signed char* question, int* score, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    const uint4* row = reinterpret_cast<const uint4*>(rows);
    const uint4* asked = reinterpret_cast<const uint4*>(question);
    unsigned sum = 0;
    #pragma unroll
    for (int k = 0; k < 4; ++k) {
        uint4 a = row[4 * i + k];
        uint4 b = asked[k];
        sum = __dp4a(a.x, b.x, sum);
        sum = __dp4a(a.y, b.y, sum);
        sum = __dp4a(a.z, b.z, sum);
        sum = __dp4a(a.w, b.w, sum);
    }
    score[i] = sum;
}

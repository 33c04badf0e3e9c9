// Right but for a size of two, where the second row is left out.
//@ mutant wrong-result: of two rows one is never written
//@ let    block = 256
//@ launch scores<<<ceil_div(n, block), block>>>(rows, question, score, n)

__global__ void scores(const signed char* rows, const signed char* question, int* score, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || (n == 2 && i == 1)) return;

    const int4* row = reinterpret_cast<const int4*>(rows);
    const int4* asked = reinterpret_cast<const int4*>(question);
    int sum = 0;
    #pragma unroll
    for (int k = 0; k < 4; ++k) {
        int4 a = row[4 * i + k];
        int4 b = asked[k];
        sum = __dp4a(a.x, b.x, sum);
        sum = __dp4a(a.y, b.y, sum);
        sum = __dp4a(a.z, b.z, sum);
        sum = __dp4a(a.w, b.w, sum);
    }
    score[i] = sum;
}

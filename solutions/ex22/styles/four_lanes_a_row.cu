// Four lanes a row, an int4 each: neighbouring lanes read neighbouring addresses, and two shuffles add up.
//@ let    block = 256
//@ launch scores<<<ceil_div(4 * n, block), block>>>(rows, question, score, n)

__global__ void scores(const signed char* rows, const signed char* question, int* score, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int part = i % 4;
    const int4* row = reinterpret_cast<const int4*>(rows);
    const int4* asked = reinterpret_cast<const int4*>(question);
    int sum = 0;
    if (i < 4 * n) {
        int4 a = row[i];
        int4 b = asked[part];
        sum = __dp4a(a.w, b.w, __dp4a(a.z, b.z, __dp4a(a.y, b.y, __dp4a(a.x, b.x, 0))));
    }
    sum += __shfl_xor_sync(0xffffffffu, sum, 1);
    sum += __shfl_xor_sync(0xffffffffu, sum, 2);
    if (part == 0 && i < 4 * n) score[i / 4] = sum;
}

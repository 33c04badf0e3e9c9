// Loads wide and multiplies byte by byte.
//@ mutant goal: what the load saved is spent on taking the bytes apart
//@ let    block = 256
//@ launch scores<<<ceil_div(n, block), block>>>(rows, question, score, n)

__global__ void scores(const signed char* rows, const signed char* question, int* score, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    const int4* row = reinterpret_cast<const int4*>(rows);
    const int4* asked = reinterpret_cast<const int4*>(question);
    int sum = 0;
    #pragma unroll
    for (int k = 0; k < 4; ++k) {
        int4 a = row[4 * i + k];
        int4 b = asked[k];
        const int p[4] = {a.x, a.y, a.z, a.w};
        const int q[4] = {b.x, b.y, b.z, b.w};
        #pragma unroll
        for (int j = 0; j < 4; ++j)
            for (int shift = 0; shift < 32; shift += 8)
                sum += (signed char)(p[j] >> shift) * (signed char)(q[j] >> shift);
    }
    score[i] = sum;
}

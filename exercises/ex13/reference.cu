// The oracle, in integers, from the bytes as they lie in memory.
//@ launch match_reference<<<ceil_div(n, 128), 128>>>(signal, pattern, distance, n)

__global__ void match_reference(const unsigned* signal, const unsigned* pattern, int* distance, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    const unsigned char* here = reinterpret_cast<const unsigned char*>(signal + i);
    const unsigned char* wanted = reinterpret_cast<const unsigned char*>(pattern);
    int sum = 0;
    for (int k = 0; k < 64; ++k) {
        int difference = (int)here[k] - (int)wanted[k];
        if (difference < 0) difference = -difference;
        sum += difference;
    }
    distance[i] = sum;
}

// The dot product of every 256 elements of two vectors.
// Flaw: eight rounds through shared memory, and the whole block waits after each of them.
//@ let    block = 256
//@ launch dot<<<ceil_div(n, block), block>>>(a, b, dots, n)

constexpr int block = 256;

__global__ void dot(const float* a, const float* b, float* dots, int n)
{
    __shared__ float s[block];
    int t = threadIdx.x;
    int i = blockIdx.x * block + t;

    s[t] = i < n ? a[i] * b[i] : 0.0f;
    __syncthreads();

    for (int k = block / 2; k > 0; k /= 2) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }

    if (t == 0) dots[blockIdx.x] = s[0];
}

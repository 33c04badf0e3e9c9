// Sixteen lanes for each result, four products per load.
//@ launch dot<<<ceil_div(ceil_div(n, 256), 16), 256>>>(a, b, dots, n)
__global__ void dot(const float* a, const float* b, float* dots, int n)
{
    int g = (blockIdx.x * blockDim.x + threadIdx.x) / 16, l = threadIdx.x % 16;
    float sum = 0;
    #pragma unroll
    for (int k = 0; k < 4; ++k) {
        int i = g * 256 + k * 64 + 4 * l;
        if (i + 3 < n) { float4 p = *(const float4*)(a + i), q = *(const float4*)(b + i); sum += p.x * q.x + p.y * q.y + (p.z * q.z + p.w * q.w); }
        else for (int j = i; j < n; ++j) sum += a[j] * b[j];
    }
    for (int k = 8; k > 0; k /= 2) sum += __shfl_xor_sync(~0u, sum, k, 16);
    if (l == 0 && g * 256 < n) dots[g] = sum;
}

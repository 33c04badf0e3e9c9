// A tree's last warp as it was published, in a block of one warp.
// Flaw: a block of 32 threads has 32 words, and lanes 16 to 31 read words 32 to 47
// all the same.
//@ size    n = 1024
//@ let     block = 32
//@ in      x: f32[n] = uniform(-1, 1)
//@ out     sums: f32[ceil_div(n, block)]
//@ launch  block_sums<<<ceil_div(n, block), block, 4 * block>>>(x, sums, n)

__global__ void block_sums(const float* x, float* sums, int n)
{
    extern __shared__ float s[];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? x[i] : 0.0f;
    __syncthreads();

    for (int k = blockDim.x / 2; k > 32; k /= 2) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }

    if (t < 32) {
        volatile float* v = s;
        if (blockDim.x > 32) v[t] += v[t + 32];
        v[t] += v[t + 16];
        v[t] += v[t + 8];
        v[t] += v[t + 4];
        v[t] += v[t + 2];
        v[t] += v[t + 1];
        if (t == 0) sums[blockIdx.x] = v[0];
    }
}

// Sums of blocks; the last warp synchronizes explicitly.
// __syncwarp() makes the lanes converge and orders their memory accesses. Only the
// lower k lanes add, so in a round no lane reads what another writes, and one
// __syncwarp() per round is enough. Where the warp is already together it costs
// next to nothing. The bound on t + k keeps small blocks inside their array.
//@ launch block_sums<<<ceil_div(n, block), block, 4 * block>>>(x, sums, n)

__global__ void block_sums(const int* x, int* sums, int n)
{
    extern __shared__ int s[];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;

    s[t] = i < n ? x[i] : 0;
    __syncthreads();

    for (int k = blockDim.x / 2; k > 32; k /= 2) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }

    if (t < 32) {
        #pragma unroll
        for (int k = 32; k > 0; k /= 2) {
            if (t < k && t + k < blockDim.x) s[t] += s[t + k];
            __syncwarp();
        }
        if (t == 0) sums[blockIdx.x] = s[0];
    }
}

// The sum of magnitudes of every `block` elements, for whatever block size the
// launch says.
// Flaw: the block size is known when the kernel is launched, not when it is
// compiled, so the tree is a loop: a shift, a compare and a branch for each
// addition.
//@ launch block_norms<<<ceil_div(n, block), block, 4 * block>>>(x, norms, n)

__global__ void block_norms(const int* x, int* norms, int n)
{
    extern __shared__ int s[];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;

    s[t] = i < n ? abs(x[i]) : 0;
    __syncthreads();

    for (int k = blockDim.x / 2; k > 0; k /= 2) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }

    if (t == 0) norms[blockIdx.x] = s[0];
}

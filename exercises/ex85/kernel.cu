// The Euclidean norm of every 256 elements, where squares may overflow or vanish: a scale, and a sum relative to it.
// Flaw: every element asks whether it is the largest so far, and the lanes of a warp get different answers.
//@ let    block = 256
//@ let    norms_wanted = ceil_div(n, 256)
//@ launch row_norms<<<ceil_div(32 * norms_wanted, block), block>>>(x, norms, n)

// (scale, sum) stands for scale * scale * sum. Adds (other_scale, other_sum).
__device__ void add(float& scale, float& sum, float other_scale, float other_sum)
{
    if (other_scale > scale) {
        float q = scale / other_scale;
        sum = other_sum + sum * q * q;
        scale = other_scale;
    } else if (scale > 0.0f) {
        float q = other_scale / scale;
        sum += other_sum * q * q;
    }
}

__global__ void row_norms(const float* x, float* norms, int n)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    int first = warp * 256;
    if (first >= n) return;         // the same for all lanes of the warp

    float scale = 0.0f;
    float sum = 0.0f;
    for (int k = 0; k < 8; ++k) {
        int i = first + 32 * k + lane;
        if (i < n) add(scale, sum, fabsf(x[i]), 1.0f);
    }

    for (int k = 16; k > 0; k /= 2) {
        float other_scale = __shfl_down_sync(0xffffffffu, scale, k);
        float other_sum = __shfl_down_sync(0xffffffffu, sum, k);
        add(scale, sum, other_scale, other_sum);
    }
    if (lane == 0) norms[warp] = scale * sqrtf(sum);
}

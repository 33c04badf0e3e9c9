// Goes through shared memory to read and write in a row, and leaves the first __syncwarp() out.
//@ mutant race: lanes read what other lanes of the warp may not have stored yet
//@ let    block = 32
//@ launch running<<<ceil_div(n, 256), block>>>(x, y, n)

__global__ void running(const float* x, float* y, int n)
{
    __shared__ float s[256 + 32];
    int lane = threadIdx.x, begin = blockIdx.x * 256;
    for (int k = 0; k < 8; ++k) { int j = 32 * k + lane, i = begin + j; s[j + j / 8] = i < n ? x[i] : 0.0f; }
    float v[8];
    for (int k = 0; k < 8; ++k) v[k] = s[9 * lane + k];
    for (int k = 1; k < 8; ++k) v[k] += v[k - 1];
    float total = v[7];
    for (int k = 1; k < 32; k *= 2) {
        float b = __shfl_up_sync(0xffffffff, total, k);
        if (lane >= k) total += b;
    }
    float before = __shfl_up_sync(0xffffffff, total, 1);
    if (lane == 0) before = 0.0f;
    for (int k = 0; k < 8; ++k) s[9 * lane + k] = v[k] + before;
    __syncwarp();
    for (int k = 0; k < 8; ++k) { int j = 32 * k + lane, i = begin + j; if (i < n) y[i] = s[j + j / 8]; }
}

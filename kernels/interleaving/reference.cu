// The oracle: a thread for each end.
//@ launch follow_reference<<<blocks, 32 * warps>>>(left, right, end, length, steps)

__global__ void follow_reference(const int* left, const int* right, int* end, int length, int steps)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int i = t % length;
    for (int k = 0; k < steps; ++k) {
        if (t % 32 < 16) i = left[i] % length;
        else             i = (right[i] + 1) % length;
    }
    end[t] = i;
}

// Half of the lanes of each warp follow one list, half another, `steps` steps each; every step is a load that needs the one before.
// way 1: the two sides of a branch, as one writes it. way 2: the same, and a __syncwarp() between them, so that one side is over
// before the other begins. way 3: no branch; every lane follows the list that it has chosen.
//@ launch follow<way><<<blocks, 32 * warps>>>(left, right, end, length - 1, steps)

template <int way>
__global__ void follow(const int* left, const int* right, int* end, int mask, int steps)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int i = t & mask;
    bool upper = threadIdx.x % 32 >= 16;

    if (way == 1) {
        if (upper) {
            #pragma unroll 1
            for (int k = 0; k < steps; ++k) i = (right[i] + 1) & mask;
        } else {
            #pragma unroll 1
            for (int k = 0; k < steps; ++k) i = left[i] & mask;
        }
    }
    if (way == 2) {
        if (upper) {
            #pragma unroll 1
            for (int k = 0; k < steps; ++k) i = (right[i] + 1) & mask;
        }
        __syncwarp();
        if (!upper) {
            #pragma unroll 1
            for (int k = 0; k < steps; ++k) i = left[i] & mask;
        }
    }
    if (way == 3) {
        const int* list = upper ? right : left;
        int one = upper ? 1 : 0;
        #pragma unroll 1
        for (int k = 0; k < steps; ++k) i = (list[i] + one) & mask;
    }
    end[t] = i;
}

// choose(m, k) is choose(m, m - k): the product over the shorter side.
//@ let    block = 256
//@ launch ways<<<ceil_div(n, block), block>>>(m, k, count, n)

__global__ void ways(const int* m, const int* k, int* count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    int row = m[i];
    int chosen = min(k[i], row);
    chosen = min(chosen, row - chosen);
    int above = 1;
    int below = 1;
    for (int j = 0; j < chosen; ++j) {
        above *= row - j;
        below *= j + 1;
    }
    count[i] = above / below;
}

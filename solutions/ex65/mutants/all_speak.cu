// Leaves out the reduction.
//@ mutant goal: 32 atomics in place of one
//@ let    block = 256
//@ launch clear<<<1, 1>>>(box)
//@ launch enclose<<<ceil_div(n, block), block>>>(x, y, box, n)

constexpr int far = 2000000000;

__global__ void clear(int* box)
{
    box[0] = box[1] = far;
    box[2] = box[3] = -far;
}

__global__ void enclose(const int* x, const int* y, int* box, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int left = i < n ? x[i] : far, right = i < n ? left : -far;
    int low = i < n ? y[i] : far, high = i < n ? low : -far;


    if (i < n) {
        atomicMin(&box[0], left);
        atomicMin(&box[1], low);
        atomicMax(&box[2], right);
        atomicMax(&box[3], high);
    }
}

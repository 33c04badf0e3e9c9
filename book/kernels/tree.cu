// A warp adds 32 numbers in shared memory. The usual order gives the right sum. Is
// the kernel right?
//@ in     x: i32[32] = integers(1, 99)
//@ out    sum: i32[1]
//@ launch total<<<1, 32>>>(x, sum)

__global__ void total(const int* x, int* sum)
{
    __shared__ volatile int s[32];      // volatile: no access is removed
    int lane = threadIdx.x;

    s[lane] = x[lane];
    for (int k = 16; k > 0; k /= 2)
        if (lane < k) s[lane] += s[lane + k];

    if (lane == 0) *sum = s[0];
}

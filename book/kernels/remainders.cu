// The same remainder, with more and less known of the divisor.
//@ size   k = 8
//@ size   log = 3
//@ in     x: u32[32] = integers(0, 999)
//@ in     s: i32[32] = integers(-999, 999)
//@ out    y: u32[128]
//@ out    z: i32[32]
//@ launch by_parameter<<<1, 32>>>(x, y, k)
//@ launch by_assumed<<<1, 32>>>(x, y + 32, k)
//@ launch by_shift<<<1, 32>>>(x, y + 64, log)
//@ launch by_eight<<<1, 32>>>(x, y + 96)
//@ launch by_eight_signed<<<1, 32>>>(s, z)

__global__ void by_parameter(const unsigned* x, unsigned* y, unsigned k)
{
    y[threadIdx.x] = x[threadIdx.x] % k;
}

__global__ void by_assumed(const unsigned* x, unsigned* y, unsigned k)
{
    __builtin_assume(k != 0 && (k & (k - 1)) == 0);
    y[threadIdx.x] = x[threadIdx.x] % k;
}

__global__ void by_shift(const unsigned* x, unsigned* y, unsigned log)
{
    y[threadIdx.x] = x[threadIdx.x] % (1u << log);
}

__global__ void by_eight(const unsigned* x, unsigned* y)
{
    y[threadIdx.x] = x[threadIdx.x] % 8;
}

__global__ void by_eight_signed(const int* s, int* z)
{
    z[threadIdx.x] = s[threadIdx.x] % 8;
}

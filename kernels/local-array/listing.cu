// The two kernels whose sm_75 listings open the chapter, as the document wrote them. Look at the machine code, do not
// copy the first one: v has two slots, so c = 0 and c = 2 write past its end, and c = 1 leaves v[0] unwritten.
//
//     checker sass kernels/local-array/listing.cu --arch sm_75        21 instructions, then 14
//     checker run  kernels/local-array/listing.cu                     the read of v[0] that nothing wrote
//@ size   n = 64
//@ in     a: i32[n] = integers(-100, 100)
//@ out    b: i32[n]
//@ out    d: i32[n]
//@ launch addKernel<<<1, n>>>(1, a, b)
//@ launch addKernel2<<<1, n>>>(1, a, d)

__global__ void addKernel(int c, const int* a, int* b)
{
    int i = threadIdx.x;
    int v[2];
    v[c] = c;
    v[2 - c] = 2 - c;

    b[i] = a[i] + v[i % 2];
}

__global__ void addKernel2(int c, const int* a, int* b)
{
    int i = threadIdx.x;
    int v[2];
    v[0] = c;
    v[1] = 2 - c;

    int vv = (i % 2 == 0) ? v[0] : v[1];
    b[i] = a[i] + vv;
}

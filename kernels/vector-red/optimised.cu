// The four additions as one instruction of PTX, which sm_90 brought:
// red.global.add.v4.f32. The compiler does not make it of four atomicAdd: it would
// have to know that `to` is a multiple of 16 bytes. Each of the four is atomic, the
// four together are not.
//@ let    block = 256
//@ launch clear<<<16384 / block, block>>>(mesh)
//@ launch deposit<<<ceil_div(n, block), block>>>(particle, cell, mesh, n)

__global__ void clear(float* mesh)
{
    mesh[blockIdx.x * blockDim.x + threadIdx.x] = 0.0f;
}

__device__ void add(float* to, float4 p)
{
    // "l": a 64-bit register, "f": a float. "memory" says that memory changes,
    // volatile that it must happen.
    asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};"
                 :: "l"(to), "f"(p.x), "f"(p.y), "f"(p.z), "f"(p.w) : "memory");
}

__global__ void deposit(const float4* particle, const int* cell, float* mesh, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    add(mesh + 4 * cell[i], particle[i]);
}

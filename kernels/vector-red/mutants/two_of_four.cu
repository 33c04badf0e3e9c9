// Stops at pairs.
//@ mutant goal: two instructions for a particle
//@ let    block = 256
//@ launch clear<<<16384 / block, block>>>(mesh)
//@ launch deposit<<<ceil_div(n, block), block>>>(particle, cell, mesh, n)

__global__ void clear(float* mesh)
{
    mesh[blockIdx.x * blockDim.x + threadIdx.x] = 0.0f;
}

__device__ void add(float* to, float4 p)
{
    // "l": a 64-bit register, "f": a float. "memory" says that memory changes, volatile that it must happen.
    asm volatile("red.global.add.v2.f32 [%0], {%1, %2};" :: "l"(to), "f"(p.x), "f"(p.y) : "memory");
    asm volatile("red.global.add.v2.f32 [%0], {%1, %2};" :: "l"(to + 2), "f"(p.z), "f"(p.w) : "memory");
}

__global__ void deposit(const float4* particle, const int* cell, float* mesh, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    add(mesh + 4 * cell[i], particle[i]);
}

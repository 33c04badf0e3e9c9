// Particles give mass and momentum (four floats) to the cells of a mesh that they
// are in.
// Flaw: the four numbers are adjacent, but each is added separately: four atomic
// instructions per particle.
//@ let    block = 256
//@ launch clear<<<16384 / block, block>>>(mesh)
//@ launch deposit<<<ceil_div(n, block), block>>>(particle, cell, mesh, n)

__global__ void clear(float* mesh)
{
    mesh[blockIdx.x * blockDim.x + threadIdx.x] = 0.0f;
}

__global__ void deposit(const float4* particle, const int* cell, float* mesh, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float4 p = particle[i];
    float* to = mesh + 4 * cell[i];
    atomicAdd(to + 0, p.x);
    atomicAdd(to + 1, p.y);
    atomicAdd(to + 2, p.z);
    atomicAdd(to + 3, p.w);
}

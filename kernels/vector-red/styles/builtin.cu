// CUDA's headers have the same instruction as atomicAdd of a float4, for sm_90 and later.
//@ let    block = 256
//@ launch clear<<<16384 / block, block>>>(mesh)
//@ launch deposit<<<ceil_div(n, block), block>>>(particle, cell, mesh, n)

__global__ void clear(float* mesh)
{
    mesh[blockIdx.x * blockDim.x + threadIdx.x] = 0.0f;
}

__device__ void add(float* to, float4 p)
{
    atomicAdd(reinterpret_cast<float4*>(to), p);
}

__global__ void deposit(const float4* particle, const int* cell, float* mesh, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    add(mesh + 4 * cell[i], particle[i]);
}

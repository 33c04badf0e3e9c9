// The oracle, in double precision, with the magnitude of what each cell has added up.
//@ launch clear<<<16384 / 256, 256>>>(mesh, mesh_magnitude)
//@ launch deposit<<<ceil_div(n, 128), 128>>>(particle, cell, mesh, mesh_magnitude, n)

__global__ void clear(double* mesh, double* mesh_magnitude)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    mesh[i] = 0.0;
    mesh_magnitude[i] = 0.0;
}

__global__ void deposit(const float* particle, const int* cell, double* mesh, double* mesh_magnitude, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    for (int k = 0; k < 4; ++k) {
        double value = particle[4 * i + k];
        atomicAdd(&mesh[4 * cell[i] + k], value);
        atomicAdd(&mesh_magnitude[4 * cell[i] + k], fabs(value));
    }
}

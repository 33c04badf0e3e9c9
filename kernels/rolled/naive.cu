// Kepler's equation, E = M + e sin(E), by 48 fixed-point iterations: the position
// of a planet from the time.
// Flaw: the body of the loop is long (a sine for any argument), and the pragma
// unrolls it 48 times.
//@ let    block = 256
//@ launch kepler<<<ceil_div(n, block), block>>>(mean, eccentric, 0.5, n)

__global__ void kepler(const float* mean, float* eccentric, float e, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float m = mean[i];
    float t = m;
    #pragma unroll
    for (int round = 0; round < 48; ++round)
        t = m + e * sinf(t);
    eccentric[i] = t;
}

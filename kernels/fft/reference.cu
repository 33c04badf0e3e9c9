// The oracle, in double precision: the points in the order of their reversed bits, then twelve rounds of pairs, in place.
//@ launch scatter_reference<<<(16, transforms), 256>>>(x, y, y_magnitude)
//@ for (half = 1; half < 4096; half = 2 * half)
//@   launch round_reference<<<(8, transforms), 256>>>(y, half)
//@ end

__global__ void scatter_reference(const float* x, double* y, double* y_magnitude)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int first = 8192 * blockIdx.y;
    int place = __brev(i) >> 20;
    y[first + 2 * place] = x[first + 2 * i];
    y[first + 2 * place + 1] = x[first + 2 * i + 1];

    // Every point comes into every result.
    __shared__ double sizes[256];
    double size = 0.0;
    for (int k = threadIdx.x; k < 4096; k += 256) size += fabs((double)x[first + 2 * k]) + fabs((double)x[first + 2 * k + 1]);
    sizes[threadIdx.x] = size;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int k = 1; k < 256; ++k) sizes[0] += sizes[k];
    __syncthreads();
    y_magnitude[first + 2 * i] = sizes[0];
    y_magnitude[first + 2 * i + 1] = sizes[0];
}

__global__ void round_reference(double* y, int half)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int low = 8192 * blockIdx.y + 2 * (j / half * 2 * half + j % half);
    int high = low + 2 * half;

    double angle = -(double)(j % half) / half;
    double s, c;
    sincospi(angle, &s, &c);
    double re = y[high] * c - y[high + 1] * s;
    double im = y[high] * s + y[high + 1] * c;
    y[high] = y[low] - re;
    y[high + 1] = y[low + 1] - im;
    y[low] = y[low] + re;
    y[low + 1] = y[low + 1] + im;
}

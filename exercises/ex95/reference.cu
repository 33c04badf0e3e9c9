// The oracle: one block, each thread adds its share, thread 0 adds the shares; the mean first, then the squares.
//@ let    k = max(16, ceil_div(n, 33792))      // samples a thread; the kernel's sums have at most k + 84 roundings
//@ launch moments_reference<<<1, 256>>>(x, mean, mean_magnitude, variance, variance_magnitude, n, k)

// What thread 0 has, for all threads.
__device__ double everybody(double* share, double own)
{
    if (threadIdx.x == 0) share[0] = own;
    __syncthreads();
    double all = share[0];
    __syncthreads();
    return all;
}

// The sum of `own` over the block, for all threads.
__device__ double total(double* share, double own)
{
    share[threadIdx.x] = own;
    __syncthreads();
    double all = 0.0;
    if (threadIdx.x == 0) for (int t = 0; t < 256; ++t) all += share[t];
    return everybody(share, all);
}

// The largest `own` of the block, for all threads.
__device__ double largest(double* share, double own)
{
    share[threadIdx.x] = own;
    __syncthreads();
    double most = 0.0;
    if (threadIdx.x == 0) for (int t = 0; t < 256; ++t) most = fmax(most, share[t]);
    return everybody(share, most);
}

__global__ void moments_reference(const float* x, double* mean, double* mean_magnitude, double* variance,
                                  double* variance_magnitude, int n, int k)
{
    __shared__ double share[256];

    double own = 0.0;
    double own_top = 0.0;
    for (int i = threadIdx.x; i < n; i += 256) {
        own += x[i];
        own_top = fmax(own_top, fabs((double)x[i]));
    }
    double m = total(share, own) / n;
    double top = largest(share, own_top);           // of all |x|

    own = 0.0;
    double own_far = 0.0;
    for (int i = threadIdx.x; i < n; i += 256) {
        double distance = x[i] - m;
        own += distance * distance;
        own_far = fmax(own_far, fabs(distance));
    }
    double v = total(share, own) / n;
    double far = largest(share, own_far);           // of all distances from the mean

    // A merger rounds the mean once, and three times the way that it moves the mean: less than the distance of two means.
    double mean_rounding = top + 3.0 * (2.0 * far);

    // Squares: of distances from any sample of x, (x - o)^2 <= 2 (x - m)^2 + 2 (o - m)^2.
    double squares_rounding = 2.0 * (v + far * far);

    // Means: after j roundings a part's mean is off by j * u * top at most, and the d of two parts by twice that, e. A merger's
    // d^2 na nb / n is then off by (2 |d| e + e^2) na nb / n. Over all mergers the sum of d^2 na nb / n is n * v at most, and that
    // of e^2 na nb / n at most n * off^2: na nb / n add up to n / 4 in a round of a tree, to 0.66 n for 8 warps one after the
    // other, 0.54 n for 5 parts, n for samples one after the other, while j grows from 1 to k + 33. By Cauchy and Schwarz the
    // variance is off by 2 sqrt(v) off + off^2 at most.
    double u = 1.0 / 16777216.0;
    double off = 5.0 * (min(k, n) + min(16, n)) * u * top;
    double means_error = 2.0 * sqrt(v) * off + off * off;

    // Of few samples there are fewer mergers than the 31 of the stated bound, and what is rounded besides belongs to mergers.
    double part = (min(k, n) + min(84.0, 2.0 + 6.0 * (n - 1))) / (k + 84);

    if (threadIdx.x == 0) {
        *mean = m;
        *mean_magnitude = part * mean_rounding;
        *variance = v;
        *variance_magnitude = part * squares_rounding + means_error / ((k + 84) * u);
    }
}

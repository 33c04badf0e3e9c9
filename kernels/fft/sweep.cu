// The Fourier transform of 4,096 complex points, a block for each. A thread holds
// `values` of them, does the transform of that many points in its registers, and
// puts them back where the next pass reads them: 4,096 is 4 to the 6th, 8 to the
// 4th and 16 to the 3rd. With `padded` = 1 one point in 17 of shared memory stays
// unused, so that lanes that store far apart have fewer bank conflicts.
//@ launch transform<values, padded><<<transforms, 4096 / values>>>(x, y)

constexpr int points = 4096;

// cos and sin of k / 16 of a turn.
__device__ constexpr float cosines[8] = {1.0f, 0.92387953f, 0.70710678f, 0.38268343f, 0.0f, -0.38268343f, -0.70710678f, -0.92387953f};
__device__ constexpr float sines[8] = {0.0f, 0.38268343f, 0.70710678f, 0.92387953f, 1.0f, 0.92387953f, 0.70710678f, 0.38268343f};

__device__ float2 times(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// The transform of that many points in registers; afterwards they are in
// bit-reversed order.
template <int values>
__device__ void in_registers(float2* v)
{
    #pragma unroll
    for (int half = values / 2; half > 0; half /= 2) {
        #pragma unroll
        for (int k = 0; k < values; ++k) {
            if (k & half) continue;
            int turn = k % half * (8 / half);
            float2 a = v[k], b = v[k + half];
            v[k] = make_float2(a.x + b.x, a.y + b.y);
            float2 d = make_float2(a.x - b.x, a.y - b.y);
            v[k + half] = times(d, make_float2(cosines[turn], -sines[turn]));
        }
    }
}

template <int values>
__device__ constexpr int reversed(int k)
{
    int r = 0;
    for (int bit = 1; bit < values; bit *= 2) r = 2 * r + (k & bit ? 1 : 0);
    return r;
}

template <int values, int padded>
__global__ void __launch_bounds__(points / values) transform(const float2* x, float2* y)
{
    constexpr int threads = points / values;
    __shared__ float2 s[points + padded * points / 16];
    auto place = [](int i) { return padded ? i + i / 16 : i; };
    int t = threadIdx.x;
    x += size_t(blockIdx.x) * points;
    y += size_t(blockIdx.x) * points;

    float2 v[values];
    #pragma unroll
    for (int k = 0; k < values; ++k) v[k] = x[t + k * threads];

    #pragma unroll
    for (int done = 1; done < points; done *= values) {
        if (done > 1) {
            // What the passes before have transformed is turned into place.
            float2 step;
            sincospif(-2.0f * (t % done) / (done * values), &step.y, &step.x);
            float2 factor = step;
            #pragma unroll
            for (int k = 1; k < values; ++k) {
                v[k] = times(v[k], factor);
                factor = times(factor, step);
            }
        }
        in_registers<values>(v);
        if (done * values == points) break;

        int to = t / done * done * values + t % done;
        __syncthreads();
        #pragma unroll
        for (int k = 0; k < values; ++k) s[place(to + k * done)] = v[reversed<values>(k)];
        __syncthreads();
        #pragma unroll
        for (int k = 0; k < values; ++k) v[k] = s[place(t + k * threads)];
    }

    #pragma unroll
    for (int k = 0; k < values; ++k) y[t + k * threads] = v[reversed<values>(k)];
}

// Each block of 256 threads adds up `per` numbers per thread. A load has `width` numbers, or as many as there are. All of a
// thread's loads come before its first addition; then the tree is the same: shuffles, one barrier, shuffles.
//@ let    wide = min(per, width)
//@ launch add<per, wide><<<32 * tiles / per, 256>>>(x, sums)

template <int width> struct Vector;
template <> struct Vector<1> { float v[1]; };
template <> struct __align__(8) Vector<2> { float v[2]; };
template <> struct __align__(16) Vector<4> { float v[4]; };

template <int per, int width>
__global__ void add(const float* __restrict__ x, float* sums)
{
    __shared__ float partial[8];
    int t = threadIdx.x;
    const Vector<width>* from = reinterpret_cast<const Vector<width>*>(x) + size_t(blockIdx.x) * 256 * (per / width) + t;

    Vector<width> own[per / width];
    #pragma unroll
    for (int k = 0; k < per / width; ++k) own[k] = from[256 * k];

    float sum = 0.0f;
    #pragma unroll
    for (int k = 0; k < per / width; ++k)
        #pragma unroll
        for (int j = 0; j < width; ++j) sum += own[k].v[j];

    for (int k = 16; k > 0; k /= 2) sum += __shfl_down_sync(0xffffffffu, sum, k);
    if (t % 32 == 0) partial[t / 32] = sum;
    __syncthreads();
    if (t >= 32) return;
    sum = t < 8 ? partial[t] : 0.0f;
    for (int k = 4; k > 0; k /= 2) sum += __shfl_down_sync(0xffffffffu, sum, k);
    if (t == 0) sums[blockIdx.x] = sum;
}

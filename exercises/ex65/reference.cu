// The oracle: a warp, each lane one point in 32, and then its first lane over what they found.
//@ launch box_reference<<<1, 32>>>(x, y, box, n)

__global__ void box_reference(const int* x, const int* y, int* box, int n)
{
    __shared__ int left[32], low[32], right[32], high[32];
    int lane = threadIdx.x;
    int first = lane < n ? lane : 0;
    left[lane] = right[lane] = x[first];
    low[lane] = high[lane] = y[first];
    for (int i = lane; i < n; i += 32) {
        left[lane] = min(left[lane], x[i]);
        right[lane] = max(right[lane], x[i]);
        low[lane] = min(low[lane], y[i]);
        high[lane] = max(high[lane], y[i]);
    }
    __syncwarp();
    if (lane == 0) {
        for (int other = 1; other < 32; ++other) {
            left[0] = min(left[0], left[other]);
            right[0] = max(right[0], right[other]);
            low[0] = min(low[0], low[other]);
            high[0] = max(high[0], high[other]);
        }
        box[0] = left[0];
        box[1] = low[0];
        box[2] = right[0];
        box[3] = high[0];
    }
}

// The oracle, in double precision.
//@ launch mid_side_reference<<<ceil_div(n, 128), 128>>>(left, right, mid, side, n)

__global__ void mid_side_reference(const float* left, const float* right, double* mid, double* side, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    double sum = (double)left[i] + (double)right[i];
    double difference = (double)left[i] - (double)right[i];
    mid[i] = sum / 2;
    side[i] = difference / 2;
}

// One launch of one block, which has all to itself.
//@ mutant goal: nothing goes out to memory, since there is one block only
//@ launch total<<<1, 1024>>>(x, sum, n)

__global__ void total(const float* x, float* sum, int n)
{
    __shared__ float s[1024];
    int t = threadIdx.x;
    float own = 0.0f;
    for (int i = t; i < n; i += 1024) own += x[i];
    s[t] = own;
    __syncthreads();
    for (int k = 512; k > 0; k /= 2) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0) *sum = s[0];
}

// The oracle: a thread per bucket looks at every element.
//@ launch table_reference<<<1, 64>>>(key, value, length, sum, n)

__global__ void table_reference(const int* key, const int* value, int* length, int* sum, int n)
{
    int b = threadIdx.x;
    int found = 0;
    int total = 0;
    for (int i = 0; i < n; ++i) {
        if (key[i] % 64 != b) continue;
        found += 1;
        total += value[i];
    }
    length[b] = found;
    sum[b] = total;
}

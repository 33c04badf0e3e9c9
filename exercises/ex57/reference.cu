// The oracle: a thread per account looks at every parcel.
//@ launch move_reference<<<1, 16>>>(amount, from, further, balance, parcels)

__global__ void move_reference(const int* amount, const int* from, const int* further, int* balance, int parcels)
{
    int account = threadIdx.x;
    int here = 0;
    for (int p = 0; p < parcels; ++p) {
        int sum = 0;
        for (int k = 0; k < 32; ++k) sum += amount[32 * p + k];
        if (from[p] == account) here -= sum;
        if ((from[p] + further[p]) % 16 == account) here += sum;
    }
    balance[account] = here;
}

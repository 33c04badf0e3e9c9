// The oracle: one thread an element, opcode by opcode.
//@ launch interpret_reference<<<ceil_div(n, 64), 64>>>(x, program, y, n)

__global__ void interpret_reference(const unsigned* x, const int* program, unsigned* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    unsigned s = x[i];
    int op = program[i % 8];
    for (int round = 0; round < 16; ++round) {
        unsigned next = s - 3u * (s & 0x55555555u);
        if (op == 0) {
            unsigned a = s ^ (s << 13);
            unsigned b = a ^ (a >> 17);
            next = b ^ (b << 5);
        }
        if (op == 1) next = s * 1664525u + 1013904223u;
        if (op == 2) next = __brev(s) + 0x9e3779b9u;
        if (op == 3) next = s ^ (__popc(s) * 0x01000193u);
        if (op == 4) next = ((s >> 7) | (s << 25)) * 5u + 0xe6546b64u;
        if (op == 5) next = (s > ~s ? s : ~s) - (s >> 3);
        if (op == 6) next = __umulhi(s, 0xcc9e2d51u) ^ (s << 9);
        s = next;
    }
    y[i] = s;
}

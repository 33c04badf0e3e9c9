// Both steps in straight code, each under a guard: no branch, and half of the lanes of each instruction have nothing to do.
//@ mutant goal: a guard saves no instruction, and half of the lanes wait for it
//@ let    block = 256
//@ launch stir<<<ceil_div(n, block), block>>>(16, seed, out, n)

__global__ void stir(int rounds, const unsigned* seed, unsigned* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    unsigned s = seed[i];
    #pragma unroll 8
    for (int k = 0; k < rounds; ++k)
        asm("{ .reg .pred odd; .reg .b32 t; setp.ne.u32 odd, %1, 0;\n\t"
            "@odd mad.lo.u32 %0, %0, 1664525, 1013904223;\n\t"
            "@!odd shl.b32 t, %0, 13;\n\t@!odd xor.b32 %0, %0, t;\n\t"
            "@!odd shr.u32 t, %0, 17;\n\t@!odd xor.b32 %0, %0, t;\n\t"
            "@!odd shl.b32 t, %0, 5;\n\t@!odd xor.b32 %0, %0, t; }" : "+r"(s) : "r"(i % 2));
    out[i] = s;
}

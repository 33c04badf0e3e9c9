// x + x for every element, in PTX from the first instruction to the last.
//@ size   n = 1000
//@ in     x: f32[n] = uniform(-1, 1)
//@ out    y: f32[n]
//@ launch twice<<<ceil_div(n, 256), 256>>>(x, y, n)

__global__ void twice(const float* x, float* y, int n)
{
    asm volatile(R"({
        .reg .pred behind;
        .reg .s32  t, block, size, i;
        .reg .s64  offset, from, to;
        .reg .f32  v;

        mov.u32             t, %%tid.x;
        mov.u32             block, %%ctaid.x;
        mov.u32             size, %%ntid.x;
        mad.lo.s32          i, block, size, t;
        setp.ge.s32         behind, i, %2;
        @behind bra         END;

        cvta.to.global.u64  from, %0;
        cvta.to.global.u64  to, %1;
        mul.wide.s32        offset, i, 4;
        add.s64             from, from, offset;
        add.s64             to, to, offset;
        ld.global.f32       v, [from];
        add.rn.f32          v, v, v;
        st.global.f32       [to], v;
    END:
    })" :: "l"(x), "l"(y), "r"(n) : "memory");
}

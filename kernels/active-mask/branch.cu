// Two sides of a branch and what follows it, without and with __syncwarp(). B needs
// what A stored, and Y what X stored. The compiler places the side of `else` first.
// checker run kernels/active-mask/branch.cu --trace --schedule its,pre-volta

//@ out    plain: i32[8]
//@ out    synced: i32[8]
//@ launch apart<<<1, 8>>>(plain)
//@ launch together<<<1, 8>>>(synced)

__global__ void apart(volatile int* out)
{
    int lane = threadIdx.x;
    if (lane >= 4) {
        out[lane] = 2;        // X
        out[lane] *= 30;      // Y
    } else {
        out[lane] = 1;        // A
        out[lane] += 10;      // B
    }
    out[lane] += lane;        // Z
}

__global__ void together(volatile int* out)
{
    int lane = threadIdx.x;
    if (lane >= 4) {
        out[lane] = 2;        // X
        out[lane] *= 30;      // Y
    } else {
        out[lane] = 1;        // A
        out[lane] += 10;      // B
    }
    __syncwarp();
    out[lane] += lane;        // Z
}

// Each lane of a warp wants to add its number under a lock.
//@ out    sum: i32[1]
//@ out    lock: i32[1]
//@ launch add<<<1, 32>>>(sum, lock)

__global__ void add(int* sum, int* lock)
{
    if (threadIdx.x == 0) { *sum = 0; *lock = 0; }
    __syncthreads();

    while (atomicCAS(lock, 0, 1) != 0) { }
    __threadfence();
    *sum += threadIdx.x;
    __threadfence();
    atomicExch(lock, 0);
}

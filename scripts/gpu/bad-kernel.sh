#!/bin/sh
# Prints a kernel file that misbehaves: scripts/gpu/bad-kernel.sh KIND
case ${1:-} in
endless)       body='while (clock() | 1) { } c[0] = 1;' ;;
out-of-bounds) body='c[(1ll << 40) + threadIdx.x] = 1;' ;;
misaligned)    body='*(long long*)((char*)c + 4) = 1;' ;;
trap)          body='__trap();' ;;
assert)        body='assert(threadIdx.x > 1000);' ;;
printf-flood)  body='for (int i = 0; i < 1000; i++) printf("line %d of thread %d\\n", i, threadIdx.x); c[threadIdx.x] = 0;' ;;
deadlock)      body='__shared__ volatile int flag; flag = 0; __syncthreads(); if (threadIdx.x == 0) while (!flag) { } __syncthreads(); flag = 1;' ;;
*) echo "usage: $0 endless|out-of-bounds|misaligned|trap|assert|printf-flood|deadlock" >&2; exit 2 ;;
esac
cat <<KERNEL
//@ out     c: i32[1024]
//@ launch  bad<<<4, 256>>>(c)
#include <cassert>
#include <cstdio>
__global__ void bad(int* c) {
    $body
}
KERNEL

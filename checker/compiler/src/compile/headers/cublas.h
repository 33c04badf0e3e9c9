// What kernels see of cuBLAS: the types that its headers bring with them.
#pragma once
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

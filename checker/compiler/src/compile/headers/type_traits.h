#pragma once
#include <cuda/std/type_traits>
namespace std {
using namespace cuda::std;
}

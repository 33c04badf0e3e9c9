#pragma once
#include <cuda/std/tuple>
namespace std {
using cuda::std::get;
using cuda::std::make_tuple;
using cuda::std::tie;
using cuda::std::tuple;
}

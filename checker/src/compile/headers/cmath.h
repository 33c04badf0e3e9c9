#pragma once
#include <cuda/std/cmath>
namespace std {
using cuda::std::abs;
using cuda::std::ceil;
using cuda::std::cos;
using cuda::std::exp;
using cuda::std::exp2;
using cuda::std::fabs;
using cuda::std::floor;
using cuda::std::fma;
using cuda::std::fmax;
using cuda::std::fmin;
using cuda::std::isfinite;
using cuda::std::isinf;
using cuda::std::isnan;
using cuda::std::log;
using cuda::std::log2;
using cuda::std::pow;
using cuda::std::round;
using cuda::std::sin;
using cuda::std::sqrt;
using cuda::std::tan;
using cuda::std::tanh;
}

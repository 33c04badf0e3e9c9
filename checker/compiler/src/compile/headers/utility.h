#pragma once
#include <cuda/std/utility>
namespace std {
using cuda::std::exchange;
using cuda::std::index_sequence;
using cuda::std::integer_sequence;
using cuda::std::make_index_sequence;
using cuda::std::make_integer_sequence;
using cuda::std::make_pair;
using cuda::std::pair;
#ifndef WARPBOOK_OWN_STD
using cuda::std::swap;
#endif
}

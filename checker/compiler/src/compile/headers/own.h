// What device code of a whole program uses of the standard library, for the device.
#pragma once
#define WARPBOOK_OWN_STD
#include "warpbook_prelude.h"
#include "cmath"
#include "cstdint"

namespace std {
template <class T> __host__ __device__ constexpr const T &min(const T &a, const T &b) { return b < a ? b : a; }
template <class T> __host__ __device__ constexpr const T &max(const T &a, const T &b) { return a < b ? b : a; }
template <class T> __host__ __device__ constexpr const T &clamp(const T &v, const T &lo, const T &hi) {
    return v < lo ? lo : hi < v ? hi : v;
}
template <class T> __host__ __device__ constexpr void swap(T &a, T &b) {
    T kept = static_cast<T &&>(a);
    a = static_cast<T &&>(b);
    b = static_cast<T &&>(kept);
}
}

#define RAND_MAX 2147483647
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#ifndef UINT32_C
#define INT8_C(value) value
#define UINT8_C(value) value
#define INT16_C(value) value
#define UINT16_C(value) value
#define INT32_C(value) value
#define UINT32_C(value) value##U
#define INT64_C(value) value##LL
#define UINT64_C(value) value##ULL
#endif

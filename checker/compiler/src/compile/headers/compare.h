// Orderings of C++20's `<=>`, for the device.
#pragma once
#if __cplusplus >= 202002L
namespace std {
class partial_ordering;
class weak_ordering;
class strong_ordering;

// What an ordering may be compared with: the literal 0.
struct __warpbook_zero {
    __host__ __device__ consteval __warpbook_zero(int) {}
};

#define WARPBOOK_COMPARED(type)                                                                                          \
    __host__ __device__ friend constexpr bool operator==(type, type) = default;                                         \
    __host__ __device__ friend constexpr bool operator==(type v, __warpbook_zero) { return v.value == 0; }              \
    __host__ __device__ friend constexpr bool operator<(type v, __warpbook_zero) { return v.value == -1; }              \
    __host__ __device__ friend constexpr bool operator>(type v, __warpbook_zero) { return v.value == 1; }               \
    __host__ __device__ friend constexpr bool operator<=(type v, __warpbook_zero) { return v.value == -1 || v.value == 0; } \
    __host__ __device__ friend constexpr bool operator>=(type v, __warpbook_zero) { return v.value == 1 || v.value == 0; }

class partial_ordering {
public:
    signed char value;
    static const partial_ordering less, equivalent, greater, unordered;
    WARPBOOK_COMPARED(partial_ordering)
};
class weak_ordering {
public:
    signed char value;
    static const weak_ordering less, equivalent, greater;
    __host__ __device__ constexpr operator partial_ordering() const { return {value}; }
    WARPBOOK_COMPARED(weak_ordering)
};
class strong_ordering {
public:
    signed char value;
    static const strong_ordering less, equal, equivalent, greater;
    __host__ __device__ constexpr operator partial_ordering() const { return {value}; }
    __host__ __device__ constexpr operator weak_ordering() const { return {value}; }
    WARPBOOK_COMPARED(strong_ordering)
};
#undef WARPBOOK_COMPARED
inline constexpr partial_ordering partial_ordering::less{-1}, partial_ordering::equivalent{0}, partial_ordering::greater{1}, partial_ordering::unordered{2};
inline constexpr weak_ordering weak_ordering::less{-1}, weak_ordering::equivalent{0}, weak_ordering::greater{1};
inline constexpr strong_ordering strong_ordering::less{-1}, strong_ordering::equal{0}, strong_ordering::equivalent{0}, strong_ordering::greater{1};

__host__ __device__ constexpr bool is_eq(partial_ordering v) { return v == 0; }
__host__ __device__ constexpr bool is_neq(partial_ordering v) { return v != 0; }
__host__ __device__ constexpr bool is_lt(partial_ordering v) { return v < 0; }
__host__ __device__ constexpr bool is_lteq(partial_ordering v) { return v <= 0; }
__host__ __device__ constexpr bool is_gt(partial_ordering v) { return v > 0; }
__host__ __device__ constexpr bool is_gteq(partial_ordering v) { return v >= 0; }
}
#endif

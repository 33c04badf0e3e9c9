// Operators and functions on CUDA's vectors, by the names that samples and their descendants use for them.
#pragma once

#define WARPBOOK_FN __host__ __device__ inline

#define WARPBOOK_OPERATOR(V, S, op) \
    WARPBOOK_FN V##2 operator op(V##2 a, V##2 b) { return make_##V##2(a.x op b.x, a.y op b.y); } \
    WARPBOOK_FN V##3 operator op(V##3 a, V##3 b) { return make_##V##3(a.x op b.x, a.y op b.y, a.z op b.z); } \
    WARPBOOK_FN V##4 operator op(V##4 a, V##4 b) { return make_##V##4(a.x op b.x, a.y op b.y, a.z op b.z, a.w op b.w); } \
    WARPBOOK_SIDES(V##2, S, op) \
    WARPBOOK_SIDES(V##3, S, op) \
    WARPBOOK_SIDES(V##4, S, op)
#define WARPBOOK_SIDES(T, S, op) \
    WARPBOOK_FN T operator op(T a, S b) { return a op make_##T(b); } \
    WARPBOOK_FN T operator op(S a, T b) { return make_##T(a) op b; } \
    WARPBOOK_FN void operator op##=(T &a, T b) { a = a op b; } \
    WARPBOOK_FN void operator op##=(T &a, S b) { a = a op b; }
#define WARPBOOK_EACH(V, f, g) \
    WARPBOOK_FN V##2 f(V##2 a, V##2 b) { return make_##V##2(g(a.x, b.x), g(a.y, b.y)); } \
    WARPBOOK_FN V##3 f(V##3 a, V##3 b) { return make_##V##3(g(a.x, b.x), g(a.y, b.y), g(a.z, b.z)); } \
    WARPBOOK_FN V##4 f(V##4 a, V##4 b) { return make_##V##4(g(a.x, b.x), g(a.y, b.y), g(a.z, b.z), g(a.w, b.w)); }
#define WARPBOOK_MAP(V, f, g) \
    WARPBOOK_FN V##2 f(V##2 a) { return make_##V##2(g(a.x), g(a.y)); } \
    WARPBOOK_FN V##3 f(V##3 a) { return make_##V##3(g(a.x), g(a.y), g(a.z)); } \
    WARPBOOK_FN V##4 f(V##4 a) { return make_##V##4(g(a.x), g(a.y), g(a.z), g(a.w)); }
#define WARPBOOK_VECTORS(V, S, A, B) \
    WARPBOOK_FN V##2 make_##V##2(S s) { return make_##V##2(s, s); } \
    WARPBOOK_FN V##2 make_##V##2(V##3 a) { return make_##V##2(a.x, a.y); } \
    WARPBOOK_FN V##2 make_##V##2(A##2 a) { return make_##V##2(S(a.x), S(a.y)); } \
    WARPBOOK_FN V##2 make_##V##2(B##2 a) { return make_##V##2(S(a.x), S(a.y)); } \
    WARPBOOK_FN V##3 make_##V##3(S s) { return make_##V##3(s, s, s); } \
    WARPBOOK_FN V##3 make_##V##3(V##2 a) { return make_##V##3(a.x, a.y, S(0)); } \
    WARPBOOK_FN V##3 make_##V##3(V##2 a, S z) { return make_##V##3(a.x, a.y, z); } \
    WARPBOOK_FN V##3 make_##V##3(V##4 a) { return make_##V##3(a.x, a.y, a.z); } \
    WARPBOOK_FN V##3 make_##V##3(A##3 a) { return make_##V##3(S(a.x), S(a.y), S(a.z)); } \
    WARPBOOK_FN V##3 make_##V##3(B##3 a) { return make_##V##3(S(a.x), S(a.y), S(a.z)); } \
    WARPBOOK_FN V##4 make_##V##4(S s) { return make_##V##4(s, s, s, s); } \
    WARPBOOK_FN V##4 make_##V##4(V##3 a) { return make_##V##4(a.x, a.y, a.z, S(0)); } \
    WARPBOOK_FN V##4 make_##V##4(V##3 a, S w) { return make_##V##4(a.x, a.y, a.z, w); } \
    WARPBOOK_FN V##4 make_##V##4(A##4 a) { return make_##V##4(S(a.x), S(a.y), S(a.z), S(a.w)); } \
    WARPBOOK_FN V##4 make_##V##4(B##4 a) { return make_##V##4(S(a.x), S(a.y), S(a.z), S(a.w)); } \
    WARPBOOK_OPERATOR(V, S, +) \
    WARPBOOK_OPERATOR(V, S, -) \
    WARPBOOK_OPERATOR(V, S, *) \
    WARPBOOK_OPERATOR(V, S, /) \
    WARPBOOK_FN S dot(V##2 a, V##2 b) { return a.x * b.x + a.y * b.y; } \
    WARPBOOK_FN S dot(V##3 a, V##3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; } \
    WARPBOOK_FN S dot(V##4 a, V##4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
#define WARPBOOK_CLAMP(T, S, low, high) \
    WARPBOOK_FN T clamp(T v, S a, S b) { return high(make_##T(a), low(v, make_##T(b))); } \
    WARPBOOK_FN T clamp(T v, T a, T b) { return high(a, low(v, b)); }

typedef unsigned int uint;
typedef unsigned short ushort;

WARPBOOK_VECTORS(float, float, int, uint)
WARPBOOK_VECTORS(int, int, float, uint)
WARPBOOK_VECTORS(uint, uint, float, int)

WARPBOOK_MAP(float, operator-, -)
WARPBOOK_MAP(int, operator-, -)
WARPBOOK_MAP(int, abs, abs)
WARPBOOK_MAP(float, fabs, fabsf)
WARPBOOK_MAP(float, floorf, floorf)
WARPBOOK_EACH(float, fminf, fminf)
WARPBOOK_EACH(float, fmaxf, fmaxf)
WARPBOOK_EACH(float, fmodf, fmodf)
WARPBOOK_EACH(int, min, min)
WARPBOOK_EACH(int, max, max)
WARPBOOK_EACH(uint, min, min)
WARPBOOK_EACH(uint, max, max)

WARPBOOK_FN float clamp(float v, float a, float b) { return fmaxf(a, fminf(v, b)); }
WARPBOOK_FN int clamp(int v, int a, int b) { return max(a, min(v, b)); }
WARPBOOK_FN uint clamp(uint v, uint a, uint b) { return max(a, min(v, b)); }
WARPBOOK_CLAMP(float2, float, fminf, fmaxf)
WARPBOOK_CLAMP(float3, float, fminf, fmaxf)
WARPBOOK_CLAMP(float4, float, fminf, fmaxf)
WARPBOOK_CLAMP(int2, int, min, max)
WARPBOOK_CLAMP(int3, int, min, max)
WARPBOOK_CLAMP(int4, int, min, max)
WARPBOOK_CLAMP(uint2, uint, min, max)
WARPBOOK_CLAMP(uint3, uint, min, max)
WARPBOOK_CLAMP(uint4, uint, min, max)

WARPBOOK_FN float fracf(float v) { return v - floorf(v); }
WARPBOOK_MAP(float, fracf, fracf)
WARPBOOK_FN float lerp(float a, float b, float t) { return a + t * (b - a); }
WARPBOOK_FN float smoothstep(float a, float b, float x)
{
    float y = clamp((x - a) / (b - a), 0.0f, 1.0f);
    return y * y * (3.0f - 2.0f * y);
}
#define WARPBOOK_LENGTHS(T) \
    WARPBOOK_FN T lerp(T a, T b, float t) { return a + t * (b - a); } \
    WARPBOOK_FN T smoothstep(T a, T b, T x) \
    { \
        T y = clamp((x - a) / (b - a), 0.0f, 1.0f); \
        return y * y * (3.0f - 2.0f * y); \
    } \
    WARPBOOK_FN float length(T v) { return sqrtf(dot(v, v)); } \
    WARPBOOK_FN T normalize(T v) { return v * rsqrtf(dot(v, v)); }
WARPBOOK_LENGTHS(float2)
WARPBOOK_LENGTHS(float3)
WARPBOOK_LENGTHS(float4)
WARPBOOK_FN float3 reflect(float3 i, float3 n) { return i - 2.0f * n * dot(n, i); }
WARPBOOK_FN float3 cross(float3 a, float3 b)
{
    return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

// Cuvier host shim: CUDA's min and max, and the device functions that <math.h> lacks.
#pragma once

#include <math.h>

#include <cstring>

#define CUVIER_SHIM_MIN_MAX(result, first, second)                                                     \
    inline result min(first a, second b) { return static_cast<result>(a) < static_cast<result>(b)      \
                                                      ? static_cast<result>(a) : static_cast<result>(b); } \
    inline result max(first a, second b) { return static_cast<result>(a) > static_cast<result>(b)      \
                                                      ? static_cast<result>(a) : static_cast<result>(b); }

CUVIER_SHIM_MIN_MAX(int, int, int)
CUVIER_SHIM_MIN_MAX(unsigned, unsigned, unsigned)
CUVIER_SHIM_MIN_MAX(unsigned, int, unsigned)
CUVIER_SHIM_MIN_MAX(unsigned, unsigned, int)
CUVIER_SHIM_MIN_MAX(long, long, long)
CUVIER_SHIM_MIN_MAX(unsigned long, unsigned long, unsigned long)
CUVIER_SHIM_MIN_MAX(unsigned long, long, unsigned long)
CUVIER_SHIM_MIN_MAX(unsigned long, unsigned long, long)
CUVIER_SHIM_MIN_MAX(long long, long long, long long)
CUVIER_SHIM_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
CUVIER_SHIM_MIN_MAX(unsigned long long, long long, unsigned long long)
CUVIER_SHIM_MIN_MAX(unsigned long long, unsigned long long, long long)
#undef CUVIER_SHIM_MIN_MAX

// A NaN loses against a number, as in fminf and fmin.
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }
inline double min(float a, double b) { return fmin(static_cast<double>(a), b); }
inline double max(float a, double b) { return fmax(static_cast<double>(a), b); }
inline double min(double a, float b) { return fmin(a, static_cast<double>(b)); }
inline double max(double a, float b) { return fmax(a, static_cast<double>(b)); }

inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
inline double rsqrt(double x) { return 1.0 / sqrt(x); }
inline float fdividef(float a, float b) { return a / b; }
inline float __fdividef(float a, float b) { return a / b; }
inline float __expf(float x) { return expf(x); }
inline float __logf(float x) { return logf(x); }
inline float __sinf(float x) { return sinf(x); }
inline float __cosf(float x) { return cosf(x); }
inline float __powf(float x, float y) { return powf(x, y); }
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x)); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }

#define CUVIER_SHIM_REINTERPRET(name, to, from)         \
    inline to name(from value) {                        \
        static_assert(sizeof(to) == sizeof(from), "");  \
        to bits;                                        \
        std::memcpy(&bits, &value, sizeof bits);        \
        return bits;                                    \
    }
CUVIER_SHIM_REINTERPRET(__float_as_int, int, float)
CUVIER_SHIM_REINTERPRET(__float_as_uint, unsigned, float)
CUVIER_SHIM_REINTERPRET(__int_as_float, float, int)
CUVIER_SHIM_REINTERPRET(__uint_as_float, float, unsigned)
CUVIER_SHIM_REINTERPRET(__double_as_longlong, long long, double)
CUVIER_SHIM_REINTERPRET(__longlong_as_double, double, long long)
#undef CUVIER_SHIM_REINTERPRET

template <class T>
T __ldg(const T *address) {
    return *address;
}

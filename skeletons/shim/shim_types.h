// Cuvier host shim: dim3, the vector types and the built-in index variables.
#pragma once

#define CUVIER_SHIM_VECTORS(scalar, name, align2, align4)                                            \
    struct name##1 { scalar x; };                                                                    \
    struct __attribute__((__aligned__(align2))) name##2 { scalar x, y; };                                \
    struct name##3 { scalar x, y, z; };                                                              \
    struct __attribute__((__aligned__(align4))) name##4 { scalar x, y, z, w; };                          \
    inline name##1 make_##name##1(scalar x) { return {x}; }                                          \
    inline name##2 make_##name##2(scalar x, scalar y) { return {x, y}; }                             \
    inline name##3 make_##name##3(scalar x, scalar y, scalar z) { return {x, y, z}; }                \
    inline name##4 make_##name##4(scalar x, scalar y, scalar z, scalar w) { return {x, y, z, w}; }

CUVIER_SHIM_VECTORS(signed char, char, 2, 4)
CUVIER_SHIM_VECTORS(unsigned char, uchar, 2, 4)
CUVIER_SHIM_VECTORS(short, short, 4, 8)
CUVIER_SHIM_VECTORS(unsigned short, ushort, 4, 8)
CUVIER_SHIM_VECTORS(int, int, 8, 16)
CUVIER_SHIM_VECTORS(unsigned, uint, 8, 16)
CUVIER_SHIM_VECTORS(long long, longlong, 16, 16)
CUVIER_SHIM_VECTORS(unsigned long long, ulonglong, 16, 16)
CUVIER_SHIM_VECTORS(float, float, 8, 16)
CUVIER_SHIM_VECTORS(double, double, 16, 16)
#undef CUVIER_SHIM_VECTORS

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return {x, y, z}; }
};

namespace cuvier_shim {

// Where in the source something happened; default arguments take it from the caller's line.
struct Site {
    const char *file = "";
    int line = 0;
    static constexpr Site here(const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
        return {file, line};
    }
};

// The running thread's place. The scheduler writes these; kernels see them as constants.
inline uint3 thread_index{}, block_index{};
inline dim3 block_size, grid_size;
inline unsigned long block_serial = 0;  // counts blocks, to notice the first use of a shared array in one

}  // namespace cuvier_shim

inline const uint3 &threadIdx = cuvier_shim::thread_index;
inline const uint3 &blockIdx = cuvier_shim::block_index;
inline const dim3 &blockDim = cuvier_shim::block_size;
inline const dim3 &gridDim = cuvier_shim::grid_size;
inline constexpr int warpSize = 32;

// Cuvier host shim: barriers, shuffles and votes.
#pragma once

#include <string.h>

#include <type_traits>

#include "shim_mode.h"
#include "shim_types.h"

namespace cuvier_shim {

inline constexpr unsigned lanes = warpSize;
inline constexpr int vote = -1;  // in place of a lane to read from: every lane's predicate is wanted

// The threads of a block that a barrier has brought together, and those of them with a true predicate.
struct Meeting {
    unsigned arrived, positive;
};

CUVIER_SHIM_API Meeting meet(bool predicate, const char *operation, Site site);

// The current thread's position in its warp.
inline unsigned lane() {
    return (thread_index.x + block_size.x * (thread_index.y + block_size.y * thread_index.z)) % lanes;
}

// What lane `source` has sent, or the votes.
CUVIER_SHIM_API unsigned long long exchange(unsigned mask, int source, unsigned long long value, const char *operation,
                                            Site site);

// Reads `value` of lane `source` in the caller's segment of `width` lanes; outside the segment, the caller's own.
template <class T>
T shuffle(unsigned mask, T value, int source, bool inside, const char *operation, Site site) {
    static_assert(std::is_arithmetic_v<T> && sizeof(T) <= sizeof(unsigned long long), "a shuffle moves a scalar");
    unsigned long long bits = 0;
    memcpy(&bits, &value, sizeof value);
    bits = exchange(mask, inside ? source : static_cast<int>(lane()), bits, operation, site);
    memcpy(&value, &bits, sizeof value);
    return value;
}

}  // namespace cuvier_shim

inline void __syncthreads(cuvier_shim::Site site = cuvier_shim::Site::here()) {
    cuvier_shim::meet(false, "__syncthreads", site);
}

inline int __syncthreads_count(int predicate, cuvier_shim::Site site = cuvier_shim::Site::here()) {
    return static_cast<int>(cuvier_shim::meet(predicate != 0, "__syncthreads_count", site).positive);
}

inline int __syncthreads_and(int predicate, cuvier_shim::Site site = cuvier_shim::Site::here()) {
    const cuvier_shim::Meeting met = cuvier_shim::meet(predicate != 0, "__syncthreads_and", site);
    return met.positive == met.arrived;
}

inline int __syncthreads_or(int predicate, cuvier_shim::Site site = cuvier_shim::Site::here()) {
    return cuvier_shim::meet(predicate != 0, "__syncthreads_or", site).positive != 0;
}

inline void __syncwarp(unsigned mask = 0xffffffffu, cuvier_shim::Site site = cuvier_shim::Site::here()) {
    cuvier_shim::exchange(mask, cuvier_shim::vote, 0, "__syncwarp", site);
}

template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = warpSize,
              cuvier_shim::Site site = cuvier_shim::Site::here()) {
    const int own = static_cast<int>(cuvier_shim::lane());
    return cuvier_shim::shuffle(mask, value, (own & -width) | (source & (width - 1)), true, "__shfl_sync", site);
}

template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = warpSize,
                 cuvier_shim::Site site = cuvier_shim::Site::here()) {
    const int own = static_cast<int>(cuvier_shim::lane()), source = own - static_cast<int>(delta);
    return cuvier_shim::shuffle(mask, value, source, source >= (own & -width), "__shfl_up_sync", site);
}

template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = warpSize,
                   cuvier_shim::Site site = cuvier_shim::Site::here()) {
    const int own = static_cast<int>(cuvier_shim::lane()), source = own + static_cast<int>(delta);
    return cuvier_shim::shuffle(mask, value, source, source < (own & -width) + width, "__shfl_down_sync", site);
}

template <class T>
T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = warpSize,
                  cuvier_shim::Site site = cuvier_shim::Site::here()) {
    const int own = static_cast<int>(cuvier_shim::lane()), source = own ^ lane_mask;
    return cuvier_shim::shuffle(mask, value, source, source < (own & -width) + width, "__shfl_xor_sync", site);
}

inline unsigned __ballot_sync(unsigned mask, int predicate, cuvier_shim::Site site = cuvier_shim::Site::here()) {
    return static_cast<unsigned>(
        cuvier_shim::exchange(mask, cuvier_shim::vote, predicate != 0, "__ballot_sync", site));
}

inline int __any_sync(unsigned mask, int predicate, cuvier_shim::Site site = cuvier_shim::Site::here()) {
    return cuvier_shim::exchange(mask, cuvier_shim::vote, predicate != 0, "__any_sync", site) != 0;
}

inline int __all_sync(unsigned mask, int predicate, cuvier_shim::Site site = cuvier_shim::Site::here()) {
    return cuvier_shim::exchange(mask, cuvier_shim::vote, predicate == 0, "__all_sync", site) == 0;
}

// Threads take turns, so memory is always in order.
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}

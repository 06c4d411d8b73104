// Cuvier host shim: what a launch checks, and how it runs the blocks of its grid.
#pragma once

#include "../shim_launch.h"
#include "block.h"
#include "device.h"
#include "memory.h"
#include "order.h"
#include "shared.h"
#include "stream.h"

namespace cuvier_shim {

inline bool fits(dim3 extent, const unsigned (&limit)[3]) {
    return extent.x >= 1 && extent.y >= 1 && extent.z >= 1 && extent.x <= limit[0] && extent.y <= limit[1] &&
           extent.z <= limit[2];
}

inline bool valid_configuration(dim3 grid, dim3 threads) {
    return fits(grid, max_grid) && fits(threads, max_block) &&
           std::size_t{threads.x} * threads.y * threads.z <= max_threads;
}

inline bool acceptable(const Configuration &wanted) {
    if (!valid_configuration(wanted.grid, wanted.threads)) return result(cudaErrorInvalidConfiguration) == cudaSuccess;
    return result(wanted.shared <= shared_limit ? cudaSuccess : cudaErrorInvalidValue) == cudaSuccess;
}

// Is it a pointer that a kernel cannot use? A pointer a little outside an allocation is taken as one into it.
inline bool host_pointer(const volatile void *argument) {
    return argument && find_allocation(address_of(argument), guard_bytes) == allocations().end();
}

// Is it memory of a device that the kernel does not run on?
inline bool foreign_pointer(const volatile void *argument) {
    const auto entry = argument ? find_allocation(address_of(argument)) : allocations().end();
    return entry != allocations().end() && entry->second.place == Place::device && entry->second.device != current_device;
}

inline bool has_wrong_pointer(const Configuration &wanted, const Call &call) {
    for (int i = 0; i < call.count; ++i) {
        const bool foreign = foreign_pointer(call.pointers[i]);
        if (!foreign && !host_pointer(call.pointers[i])) continue;
        warn("argument %d of kernel %s launched at %s:%d is %s", i + 1, wanted.kernel, wanted.site.file, wanted.site.line,
             foreign ? "memory of another device" : "not a device pointer");
        sticky_error = cudaErrorIllegalAddress;
        result(sticky_error);
        return true;
    }
    return false;
}

// Told of every launch before its first block, where a tool looks at kernels (cuvier/misses).
inline void (*observer)(const Configuration &launch) = nullptr;

inline void run_grid(dim3 grid, dim3 threads, std::size_t shared, const Body &body) {
    const DeviceAccess open(false);
    grid_size = grid;
    block_size = threads;
    block.body = body;
    block.prepare(threads);
    const std::uint64_t count = std::uint64_t{grid.x} * grid.y * grid.z;
    const BlockOrder order(count);
    open_dynamic_shared(shared);
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t number = order(i);
        block_index = {static_cast<unsigned>(number % grid.x), static_cast<unsigned>(number / grid.x % grid.y),
                       static_cast<unsigned>(number / grid.x / grid.y)};
        block.begin();
        refresh_dynamic_shared(shared);
        block.run();
    }
    check_dynamic_shared(shared);
}

// The launch, counted from 1 over all devices, with which a device fails.
inline bool fails_now(const Configuration &wanted) {
    static const std::size_t which = setting("CUVIER_SHIM_FAIL", SIZE_MAX, SIZE_MAX);
    static std::size_t count = 0;
    if (++count != which) return false;
    warn("device %d fails in kernel %s launched at %s:%d (CUVIER_SHIM_FAIL=%zu)", current_device, wanted.kernel, wanted.site.file,
         wanted.site.line, which);
    sticky_error = cudaErrorLaunchFailure;
    result(sticky_error);
    return true;
}

void CUVIER_SHIM_FLAVOUR::run_kernel(const Configuration &wanted, const Call &call) {
    const Lock hold(device_lock());
    if (use_handle(wanted.stream, true) != cudaSuccess || !acceptable(wanted)) return;
    if (has_wrong_pointer(wanted, call) || fails_now(wanted)) return;
    if (observer) observer(wanted);
    run_grid(wanted.grid, wanted.threads, wanted.shared, {call.run, call.call, wanted.kernel, wanted.site});
    check_all_guards({"after kernel ", wanted.kernel, wanted.site});
}

}  // namespace cuvier_shim

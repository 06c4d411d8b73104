// Cuvier host shim: the devices, with their limits and properties: one, or as many as CUVIER_SHIM_DEVICES says.
#pragma once

#include <cstdio>

#include "../shim_device.h"
#include "memory.h"
#include "shared.h"

namespace cuvier_shim {

inline constexpr unsigned max_block[3] = {1024, 1024, 64}, max_threads = 1024;
inline constexpr unsigned max_grid[3] = {2147483647, 65535, 65535};
inline constexpr int processors = 16;

}  // namespace cuvier_shim

cudaError_t cudaGetDeviceCount(int *count) {
    *count = cuvier_shim::device_count();
    return cuvier_shim::result(cudaSuccess);
}

cudaError_t cudaSetDevice(int device) {
    if (device < 0 || device >= cuvier_shim::device_count()) return cuvier_shim::result(cudaErrorInvalidDevice);
    cuvier_shim::current_device = device;
    return cuvier_shim::result(cudaSuccess);
}

cudaError_t cudaGetDevice(int *device) {
    *device = cuvier_shim::current_device;
    return cuvier_shim::result(cudaSuccess);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device) {
    if (device < 0 || device >= cuvier_shim::device_count()) return cuvier_shim::result(cudaErrorInvalidDevice);
    cudaDeviceProp p{};
    std::snprintf(p.name, sizeof p.name, "Cuvier host shim");
    p.totalGlobalMem = cuvier_shim::device_capacity();
    p.sharedMemPerBlock = cuvier_shim::shared_limit;
    p.sharedMemPerMultiprocessor = p.totalConstMem = 64 * 1024;
    p.regsPerBlock = 65536;
    p.warpSize = warpSize;
    p.maxThreadsPerBlock = static_cast<int>(cuvier_shim::max_threads);
    p.maxThreadsPerMultiProcessor = 1024;
    for (int i = 0; i < 3; ++i) {
        p.maxThreadsDim[i] = static_cast<int>(cuvier_shim::max_block[i]);
        p.maxGridSize[i] = static_cast<int>(cuvier_shim::max_grid[i]);
    }
    p.major = 7;
    p.minor = 5;
    p.multiProcessorCount = cuvier_shim::processors;
    p.managedMemory = p.unifiedAddressing = 1;
    p.memoryBusWidth = 256;
    p.l2CacheSize = 4 << 20;
    *properties = p;
    return cuvier_shim::result(cudaSuccess);
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device) {
    cudaDeviceProp p{};
    const cudaError_t error = cudaGetDeviceProperties(&p, device);
    if (error != cudaSuccess) return error;
    switch (attribute) {
        case cudaDevAttrMaxThreadsPerBlock: *value = p.maxThreadsPerBlock; return cudaSuccess;
        case cudaDevAttrMaxSharedMemoryPerBlock: *value = static_cast<int>(p.sharedMemPerBlock); return cudaSuccess;
        case cudaDevAttrWarpSize: *value = p.warpSize; return cudaSuccess;
        case cudaDevAttrMultiProcessorCount: *value = p.multiProcessorCount; return cudaSuccess;
        case cudaDevAttrComputeCapabilityMajor: *value = p.major; return cudaSuccess;
        case cudaDevAttrComputeCapabilityMinor: *value = p.minor; return cudaSuccess;
    }
    return cuvier_shim::result(cudaErrorInvalidValue);
}

cudaError_t cudaDriverGetVersion(int *version) {
    *version = 12000;
    return cuvier_shim::result(cudaSuccess);
}

// Kernels have ended when their launch returns: there is nothing to wait for.
cudaError_t cudaDeviceSynchronize() { return cuvier_shim::result(cudaSuccess); }

cudaError_t cudaDeviceReset(cuvier_shim::Site site) {
    const cuvier_shim::Lock hold(cuvier_shim::device_lock());
    auto &all = cuvier_shim::allocations();
    while (!all.empty()) cuvier_shim::discard(all.begin(), site);
    cuvier_shim::last_error = cuvier_shim::sticky_error = cudaSuccess;
    return cudaSuccess;
}

namespace cuvier_shim {

cudaError_t suggest_launch(int *grid, int *threads, int limit) {
    *threads = limit > 0 && limit < 256 ? limit : 256;
    *grid = processors * (1024 / *threads);
    return result(cudaSuccess);
}

}  // namespace cuvier_shim

// Cuvier host shim: the one device, with plausible properties.
#pragma once

#include <cstdio>

#include "shim_memory.h"
#include "shim_shared.h"

struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerMultiprocessor, totalConstMem;
    int regsPerBlock, warpSize, maxThreadsPerBlock, maxThreadsPerMultiProcessor;
    int maxThreadsDim[3], maxGridSize[3];
    int major, minor, multiProcessorCount, concurrentKernels, managedMemory, unifiedAddressing, integrated;
    int memoryBusWidth, l2CacheSize;
};

namespace cuvier_shim {

inline constexpr unsigned max_block[3] = {1024, 1024, 64}, max_threads = 1024;
inline constexpr unsigned max_grid[3] = {2147483647, 65535, 65535};
inline constexpr int processors = 16;

}  // namespace cuvier_shim

inline cudaError_t cudaGetDeviceCount(int *count) {
    *count = 1;
    return cuvier_shim::result(cudaSuccess);
}

inline cudaError_t cudaSetDevice(int device) {
    return cuvier_shim::result(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

inline cudaError_t cudaGetDevice(int *device) {
    *device = 0;
    return cuvier_shim::result(cudaSuccess);
}

inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device) {
    if (device != 0) return cuvier_shim::result(cudaErrorInvalidDevice);
    cudaDeviceProp p{};
    std::snprintf(p.name, sizeof p.name, "Cuvier host shim");
    p.totalGlobalMem = cuvier_shim::device_capacity;
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

enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrWarpSize = 10,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76
};

inline cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device) {
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

// Kernels have ended when their launch returns: there is nothing to wait for.
inline cudaError_t cudaDeviceSynchronize() { return cuvier_shim::result(cudaSuccess); }

inline cudaError_t cudaDeviceReset(cuvier_shim::Site site = cuvier_shim::Site::here()) {
    const cuvier_shim::Lock hold(cuvier_shim::device_lock());
    auto &all = cuvier_shim::allocations();
    while (!all.empty()) cuvier_shim::discard(all.begin(), site);
    cuvier_shim::last_error = cuvier_shim::sticky_error = cudaSuccess;
    return cudaSuccess;
}

template <class Kernel>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, Kernel, size_t = 0, int limit = 0) {
    *block = limit > 0 && limit < 256 ? limit : 256;
    *grid = cuvier_shim::processors * (1024 / *block);
    return cuvier_shim::result(cudaSuccess);
}

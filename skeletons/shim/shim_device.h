// Cuvier host shim: the devices, all with the same plausible properties.
#pragma once

#include <stddef.h>

#include "shim_error.h"
#include "shim_types.h"

struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerMultiprocessor, totalConstMem;
    int regsPerBlock, warpSize, maxThreadsPerBlock, maxThreadsPerMultiProcessor;
    int maxThreadsDim[3], maxGridSize[3];
    int major, minor, multiProcessorCount, concurrentKernels, managedMemory, unifiedAddressing, integrated;
    int memoryBusWidth, l2CacheSize;
};

enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrWarpSize = 10,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76
};

CUVIER_SHIM_API cudaError_t cudaGetDeviceCount(int *count);
CUVIER_SHIM_API cudaError_t cudaSetDevice(int device);
CUVIER_SHIM_API cudaError_t cudaGetDevice(int *device);
CUVIER_SHIM_API cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device);
CUVIER_SHIM_API cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device);
CUVIER_SHIM_API cudaError_t cudaDriverGetVersion(int *version);
CUVIER_SHIM_API cudaError_t cudaDeviceSynchronize();
CUVIER_SHIM_API cudaError_t cudaDeviceReset(cuvier_shim::Site site = cuvier_shim::Site::here());

namespace cuvier_shim {

CUVIER_SHIM_API cudaError_t suggest_launch(int *grid, int *threads, int limit);

}  // namespace cuvier_shim

template <class Kernel>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, Kernel, size_t = 0, int limit = 0) {
    return cuvier_shim::suggest_launch(grid, block, limit);
}

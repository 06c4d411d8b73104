// Cuvier host shim: device memory. Every allocation lies between two guard zones, holds NaN patterns at first, and,
// under AddressSanitizer, can be touched by kernels and copies only.
#pragma once

#include <stddef.h>

#include "shim_error.h"
#include "shim_types.h"

namespace cuvier_shim {

enum class Place { device, managed, pinned };

CUVIER_SHIM_API cudaError_t allocate(void **pointer, size_t bytes, Place place, Site site);

}  // namespace cuvier_shim

template <class T>
cudaError_t cudaMalloc(T **pointer, size_t bytes, cuvier_shim::Site site = cuvier_shim::Site::here()) {
    return cuvier_shim::allocate(reinterpret_cast<void **>(pointer), bytes, cuvier_shim::Place::device, site);
}

inline constexpr unsigned cudaMemAttachGlobal = 1;

template <class T>
cudaError_t cudaMallocManaged(T **pointer, size_t bytes, unsigned = cudaMemAttachGlobal,
                              cuvier_shim::Site site = cuvier_shim::Site::here()) {
    return cuvier_shim::allocate(reinterpret_cast<void **>(pointer), bytes, cuvier_shim::Place::managed, site);
}

inline constexpr unsigned cudaHostAllocDefault = 0, cudaHostAllocPortable = 1, cudaHostAllocMapped = 2;

template <class T>
cudaError_t cudaHostAlloc(T **pointer, size_t bytes, unsigned = cudaHostAllocDefault,
                          cuvier_shim::Site site = cuvier_shim::Site::here()) {
    return cuvier_shim::allocate(reinterpret_cast<void **>(pointer), bytes, cuvier_shim::Place::pinned, site);
}

template <class T>
cudaError_t cudaMallocHost(T **pointer, size_t bytes, cuvier_shim::Site site = cuvier_shim::Site::here()) {
    return cuvier_shim::allocate(reinterpret_cast<void **>(pointer), bytes, cuvier_shim::Place::pinned, site);
}

template <class T>
cudaError_t cudaMallocPitch(T **pointer, size_t *pitch, size_t width, size_t height,
                            cuvier_shim::Site site = cuvier_shim::Site::here()) {
    *pitch = (width + 511) / 512 * 512;
    return cuvier_shim::allocate(reinterpret_cast<void **>(pointer), *pitch * height, cuvier_shim::Place::device, site);
}

CUVIER_SHIM_API cudaError_t cudaFree(void *pointer, cuvier_shim::Site site = cuvier_shim::Site::here());
CUVIER_SHIM_API cudaError_t cudaFreeHost(void *pointer, cuvier_shim::Site site = cuvier_shim::Site::here());
CUVIER_SHIM_API cudaError_t cudaMemGetInfo(size_t *available, size_t *total);

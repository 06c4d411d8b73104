// Cuvier host shim: copies. Both ends must be on the side that the direction names, and inside one allocation.
#pragma once

#include <stddef.h>

#include "shim_error.h"
#include "shim_stream.h"

enum cudaMemcpyKind {
    cudaMemcpyHostToHost = 0,
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault = 4
};

CUVIER_SHIM_API cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind);
CUVIER_SHIM_API cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                                            cudaStream_t stream = nullptr);
CUVIER_SHIM_API cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes);
CUVIER_SHIM_API cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                                                cudaStream_t stream = nullptr);
CUVIER_SHIM_API cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                                         size_t height, cudaMemcpyKind kind);
CUVIER_SHIM_API cudaError_t cudaMemset(void *to, int value, size_t bytes);
CUVIER_SHIM_API cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream = nullptr);
CUVIER_SHIM_API cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height);

namespace cuvier_shim {

// __constant__ and __device__ variables are plain variables here: a copy between `other` and a symbol is one between
// `other` and the host.
CUVIER_SHIM_API cudaError_t copy_symbol(void *to, const void *from, size_t bytes, bool fits, bool from_symbol,
                                        cudaMemcpyKind kind);

}  // namespace cuvier_shim

template <class T>
cudaError_t cudaMemcpyToSymbol(T &symbol, const void *from, size_t bytes, size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    const bool fits = offset <= sizeof symbol && bytes <= sizeof symbol - offset;
    return cuvier_shim::copy_symbol(reinterpret_cast<char *>(&symbol) + offset, from, bytes, fits, false, kind);
}

template <class T>
cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
    const bool fits = offset <= sizeof symbol && bytes <= sizeof symbol - offset;
    return cuvier_shim::copy_symbol(to, reinterpret_cast<const char *>(&symbol) + offset, bytes, fits, true, kind);
}

// Cuvier host shim: which copies are allowed, and copying.
#pragma once

#include <cstring>

#include "../shim_copy.h"
#include "memory.h"

namespace cuvier_shim {

// May `bytes` bytes from `pointer` be used as host memory (or as device memory)?
inline bool lies_on(bool device, const void *pointer, std::size_t bytes) {
    const Address address = address_of(pointer);
    const auto entry = find_allocation(address);
    if (entry == allocations().end()) return !device && pointer;
    if (bytes > entry->first + entry->second.size - address) return false;
    const Place place = entry->second.place;
    return place == Place::managed || device == (place == Place::device);
}

// Is it memory of that device?
inline bool lies_with(int device, const void *pointer) {
    const auto entry = find_allocation(address_of(pointer));
    return entry != allocations().end() && entry->second.device == device;
}

inline bool ends_fit(const void *to, std::size_t to_bytes, const void *from, std::size_t from_bytes,
                     cudaMemcpyKind kind) {
    const bool any = kind == cudaMemcpyDefault;
    const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    const auto fits = [any](bool device, const void *pointer, std::size_t bytes) {
        return lies_on(device, pointer, bytes) || (any && lies_on(!device, pointer, bytes));
    };
    return fits(to_device, to, to_bytes) && fits(from_device, from, from_bytes);
}

inline cudaError_t copy_rows(void *to, std::size_t to_pitch, const void *from, std::size_t from_pitch,
                             std::size_t width, std::size_t height, cudaMemcpyKind kind) {
    const Lock hold(device_lock());
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return result(cudaErrorInvalidMemcpyDirection);
    if (width == 0 || height == 0) return result(cudaSuccess);
    if (height > 1 && (width > to_pitch || width > from_pitch)) return result(cudaErrorInvalidPitchValue);
    if (!ends_fit(to, (height - 1) * to_pitch + width, from, (height - 1) * from_pitch + width, kind))
        return result(cudaErrorInvalidValue);
    if (sticky_error != cudaSuccess) return result(sticky_error);
    const DeviceAccess open(true);
    for (std::size_t row = 0; row < height; ++row)
        std::memmove(static_cast<char *>(to) + row * to_pitch, static_cast<const char *>(from) + row * from_pitch,
                     width);
    return result(cudaSuccess);
}

inline cudaError_t set_rows(void *to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
    const Lock hold(device_lock());
    if (width == 0 || height == 0) return result(cudaSuccess);
    if (height > 1 && width > pitch) return result(cudaErrorInvalidPitchValue);
    if (!lies_on(true, to, (height - 1) * pitch + width)) return result(cudaErrorInvalidValue);
    if (sticky_error != cudaSuccess) return result(sticky_error);
    const DeviceAccess open(true);
    for (std::size_t row = 0; row < height; ++row) std::memset(static_cast<char *>(to) + row * pitch, value, width);
    return result(cudaSuccess);
}

}  // namespace cuvier_shim

cudaError_t cudaMemcpy(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind) {
    return cuvier_shim::copy_rows(to, bytes, from, bytes, bytes, 1, kind);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind,
                                   cudaStream_t) {
    return cudaMemcpy(to, from, bytes, kind);
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, std::size_t bytes) {
    const cuvier_shim::Lock hold(cuvier_shim::device_lock());
    const int count = cuvier_shim::device_count();
    if (to_device < 0 || to_device >= count || from_device < 0 || from_device >= count)
        return cuvier_shim::result(cudaErrorInvalidDevice);
    if (bytes && !(cuvier_shim::lies_with(to_device, to) && cuvier_shim::lies_with(from_device, from)))
        return cuvier_shim::result(cudaErrorInvalidValue);
    return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, std::size_t bytes, cudaStream_t) {
    return cudaMemcpyPeer(to, to_device, from, from_device, bytes);
}

cudaError_t cudaMemcpy2D(void *to, std::size_t to_pitch, const void *from, std::size_t from_pitch,
                                std::size_t width, std::size_t height, cudaMemcpyKind kind) {
    return cuvier_shim::copy_rows(to, to_pitch, from, from_pitch, width, height, kind);
}

cudaError_t cudaMemset(void *to, int value, std::size_t bytes) {
    return cuvier_shim::set_rows(to, bytes, value, bytes, 1);
}

cudaError_t cudaMemsetAsync(void *to, int value, std::size_t bytes, cudaStream_t) {
    return cudaMemset(to, value, bytes);
}

cudaError_t cudaMemset2D(void *to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
    return cuvier_shim::set_rows(to, pitch, value, width, height);
}

namespace cuvier_shim {

cudaError_t copy_symbol(void *to, const void *from, std::size_t bytes, bool fits, bool from_symbol,
                               cudaMemcpyKind kind) {
    const cudaMemcpyKind towards = from_symbol ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice;
    if (!fits || (kind != towards && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault))
        return result(cudaErrorInvalidValue);
    if (kind == towards) return cudaMemcpy(to, from, bytes, cudaMemcpyHostToHost);
    if (kind == cudaMemcpyDefault) return cudaMemcpy(to, from, bytes, kind);
    return cudaMemcpy(to, from, bytes, from_symbol ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost);
}

}  // namespace cuvier_shim

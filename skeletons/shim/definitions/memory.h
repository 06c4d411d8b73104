// Cuvier host shim: the allocations, their guard zones, and who may touch them.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "../shim_memory.h"
#include "context.h"
#include "error.h"

namespace cuvier_shim {

// Repeated 16-bit patterns that are NaN as half, float and double, and improbable as an integer.
inline constexpr std::uint16_t fresh_pattern = 0x7FFC;  // memory never written
inline constexpr std::uint16_t guard_pattern = 0x7FFD;  // outside an allocation
inline constexpr std::size_t guard_bytes = 4096;        // on either side; a multiple of CUDA's alignment, 256

struct Allocation {
    std::size_t size;
    Place place;
    Site site;
    int device;
};

// Kernels run one at a time; host threads that launch, allocate or copy take turns.
inline std::recursive_mutex &device_lock() {
    static auto &lock = *new std::recursive_mutex;
    return lock;
}

using Lock = std::lock_guard<std::recursive_mutex>;
using Address = std::uintptr_t;

inline std::map<Address, Allocation> &allocations() {
    static auto &all = *new std::map<Address, Allocation>;  // never destroyed: the check at exit needs it
    return all;
}

// A number from the environment, or `usual`.
inline std::size_t setting(const char *variable, std::size_t usual, std::size_t most) {
    const char *const text = std::getenv(variable);
    if (!text) return usual;
    char *end = nullptr;
    const unsigned long long number = std::strtoull(text, &end, 10);
    if (end == text || *end || number < 1 || number > most) fatal("%s=%s: expected a number from 1 to %zu", variable, text, most);
    return static_cast<std::size_t>(number);
}

// The emulated devices, and the bytes that each of them has.
inline constexpr int most_devices = 64;
inline int device_count() {
    static const int count = static_cast<int>(setting("CUVIER_SHIM_DEVICES", 1, most_devices));
    return count;
}
inline std::size_t device_capacity() {
    static const std::size_t bytes = setting("CUVIER_SHIM_MEMORY", std::size_t{8} << 30, std::size_t{1} << 40);
    return bytes;
}
inline thread_local int current_device = 0;
inline std::size_t allocated_bytes[most_devices] = {};

inline Address address_of(const volatile void *pointer) { return reinterpret_cast<Address>(pointer); }
inline char *pointer_to(Address address) { return reinterpret_cast<char *>(address); }

inline void fill_pattern(void *memory, std::size_t bytes, std::uint16_t pattern) {
    char *const at = static_cast<char *>(memory);
    for (std::size_t i = 0; i + 1 < bytes; i += 2) std::memcpy(at + i, &pattern, 2);
    if (bytes % 2) std::memcpy(at + bytes - 1, &pattern, 1);
}

// The first of `bytes` bytes (an even number) that is not part of the pattern, or `bytes`.
inline std::size_t pattern_end(const char *memory, std::size_t bytes, std::uint16_t pattern) {
    unsigned char expected[2];
    std::memcpy(expected, &pattern, 2);
    if (std::memcmp(memory, expected, 2) == 0 && std::memcmp(memory, memory + 2, bytes - 2) == 0) return bytes;
    std::size_t i = 0;
    while (static_cast<unsigned char>(memory[i]) == expected[i % 2]) ++i;
    return i;
}

inline void forbid([[maybe_unused]] Address address, [[maybe_unused]] std::size_t bytes) {
#ifdef CUVIER_SHIM_ASAN
    __asan_poison_memory_region(pointer_to(address), bytes);
#endif
}

inline void permit([[maybe_unused]] Address address, [[maybe_unused]] std::size_t bytes) {
#ifdef CUVIER_SHIM_ASAN
    __asan_unpoison_memory_region(pointer_to(address), bytes);
#endif
}

// While one lives, device memory can be touched: that of the current device during a kernel, all of it during a copy. (Has an
// effect under AddressSanitizer.)
class DeviceAccess {
public:
    explicit DeviceAccess(bool everywhere) : everywhere(everywhere) { each(permit); }
    ~DeviceAccess() { each(forbid); }
    DeviceAccess(const DeviceAccess &) = delete;
    DeviceAccess &operator=(const DeviceAccess &) = delete;

private:
    [[maybe_unused]] const bool everywhere;

    void each([[maybe_unused]] void (*action)(Address, std::size_t)) const {
#ifdef CUVIER_SHIM_ASAN
        for (const auto &[address, allocation] : allocations())
            if (allocation.place == Place::device && (everywhere || allocation.device == current_device))
                action(address, allocation.size);
#endif
    }
};

// When the guards are looked at.
struct Moment {
    const char *event;
    const char *kernel = "";
    Site site = {};
};

[[noreturn]] inline void report_overrun(const Allocation &broken, const char *where, std::size_t distance,
                                        const Moment &noticed) {
    fatal("out-of-bounds write %zu bytes %s device memory of %zu bytes (allocated at %s:%d); noticed %s%s (%s:%d)", distance, where,
          broken.size, broken.site.file, broken.site.line, noticed.event, noticed.kernel, noticed.site.file,
          noticed.site.line);
}

// Ends the program if something was written beside the allocation. AddressSanitizer reports such a write by itself.
inline void check_guards([[maybe_unused]] Address address, [[maybe_unused]] const Allocation &allocation,
                         [[maybe_unused]] const Moment &now) {
#ifndef CUVIER_SHIM_ASAN
    const std::size_t below = pattern_end(pointer_to(address) - guard_bytes, guard_bytes, guard_pattern);
    if (below < guard_bytes) report_overrun(allocation, "before the start of", guard_bytes - below, now);
    const std::size_t above = pattern_end(pointer_to(address) + allocation.size, guard_bytes, guard_pattern);
    if (above < guard_bytes) report_overrun(allocation, "after the end of", above, now);
#endif
}

inline void check_all_guards(const Moment &now) {
    for (const auto &[address, allocation] : allocations()) check_guards(address, allocation, now);
}

inline void check_at_exit() { check_all_guards({"at the program's exit"}); }

cudaError_t allocate(void **pointer, std::size_t bytes, Place place, Site site) {
    const Lock hold(device_lock());
    if (!pointer) return result(cudaErrorInvalidValue);
    *pointer = nullptr;
    if (bytes == 0) return result(cudaSuccess);
    if (bytes > device_capacity() - allocated_bytes[current_device]) return result(cudaErrorMemoryAllocation);
    const std::size_t total = (2 * guard_bytes + bytes + 255) / 256 * 256;
    char *block = static_cast<char *>(std::aligned_alloc(256, total));
    if (!block) return result(cudaErrorMemoryAllocation);
    if (allocations().empty()) [[maybe_unused]] static const int registered = std::atexit(check_at_exit);
    const Address address = address_of(block) + guard_bytes;
    fill_pattern(block, guard_bytes, guard_pattern);
    fill_pattern(pointer_to(address), bytes, fresh_pattern);
    fill_pattern(pointer_to(address) + bytes, guard_bytes, guard_pattern);
    forbid(address_of(block), guard_bytes);
    forbid(address + bytes, guard_bytes);
    if (place == Place::device) forbid(address, bytes);
    allocations()[address] = {bytes, place, site, current_device};
    allocated_bytes[current_device] += bytes;
    *pointer = pointer_to(address);
    return result(cudaSuccess);
}

inline void discard(std::map<Address, Allocation>::iterator entry, Site site) {
    const auto [address, allocation] = *entry;
    check_guards(address, allocation, {"at its release", "", site});
    permit(address - guard_bytes, allocation.size + 2 * guard_bytes);
    std::free(pointer_to(address) - guard_bytes);
    allocated_bytes[allocation.device] -= allocation.size;
    allocations().erase(entry);
}

inline cudaError_t release(void *pointer, bool pinned, Site site) {
    const Lock hold(device_lock());
    if (!pointer) return result(cudaSuccess);
    const auto entry = allocations().find(address_of(pointer));
    if (entry == allocations().end() || (entry->second.place == Place::pinned) != pinned)
        return result(cudaErrorInvalidValue);
    discard(entry, site);
    return result(cudaSuccess);
}

// The allocation whose bytes, widened by `margin` on both sides, contain the address; end() if there is none.
inline std::map<Address, Allocation>::const_iterator find_allocation(Address address, std::size_t margin = 0) {
    const auto &all = allocations();
    auto entry = all.upper_bound(address + margin);
    if (entry == all.begin()) return all.end();
    --entry;
    return address < entry->first + entry->second.size + margin ? entry : all.end();
}

}  // namespace cuvier_shim

cudaError_t cudaFree(void *pointer, cuvier_shim::Site site) {
    return cuvier_shim::release(pointer, false, site);
}

cudaError_t cudaFreeHost(void *pointer, cuvier_shim::Site site) {
    return cuvier_shim::release(pointer, true, site);
}

cudaError_t cudaMemGetInfo(std::size_t *available, std::size_t *total) {
    *available = cuvier_shim::device_capacity() - cuvier_shim::allocated_bytes[cuvier_shim::current_device];
    *total = cuvier_shim::device_capacity();
    return cuvier_shim::result(cudaSuccess);
}

// Cuvier host shim: shared memory. `__shared__ T x[n];` is a static array, filled with NaN patterns when a block first
// passes its declaration; `extern __shared__ T x[];` is a pointer to one buffer of the launch's size.
#pragma once

#include "shim_block.h"
#include "shim_memory.h"

namespace cuvier_shim {

inline constexpr std::size_t shared_limit = 48 * 1024;  // per block, static and dynamic together
alignas(256) inline unsigned char dynamic_buffer[shared_limit + guard_bytes];

inline void use_shared(std::size_t bytes) {
    block.shared_bytes += bytes;
    if (block.shared_bytes > shared_limit)
        fatal("kernel %s launched at %s:%d uses %zu bytes of shared memory in a block; the limit is %zu",
              block.body.kernel, block.body.site.file, block.body.site.line, block.shared_bytes, shared_limit);
}

// Belongs to one shared variable; knows which block used it last.
struct SharedOwner {
    unsigned long serial = 0;

    void enter(void *variable, std::size_t bytes) {
        if (serial == block.serial) return;
        serial = block.serial;
        use_shared(bytes);
        fill_pattern(variable, bytes, fresh_pattern);
    }
};

// What `extern __shared__ T x[];` is initialised with.
struct DynamicShared {
    template <class T>
    operator T *() const {
        return reinterpret_cast<T *>(dynamic_buffer);
    }
};

// At a launch's start: a guard zone behind the `bytes` bytes that its blocks may use.
inline void open_dynamic_shared(std::size_t bytes) {
    permit(address_of(dynamic_buffer), sizeof dynamic_buffer);
    fill_pattern(dynamic_buffer + bytes, guard_bytes, guard_pattern);
    forbid(address_of(dynamic_buffer) + bytes, sizeof dynamic_buffer - bytes);
}

// At a block's start.
inline void refresh_dynamic_shared(std::size_t bytes) {
    if (bytes == 0) return;
    use_shared(bytes);
    fill_pattern(dynamic_buffer, bytes, fresh_pattern);
}

// At a launch's end. AddressSanitizer reports a write into the guard zone by itself.
inline void check_dynamic_shared([[maybe_unused]] std::size_t bytes) {
#ifndef CUVIER_SHIM_ASAN
    const char *end = reinterpret_cast<const char *>(dynamic_buffer) + bytes;
    const std::size_t beyond = pattern_end(end, guard_bytes, guard_pattern);
    if (beyond < guard_bytes)
        fatal("out-of-bounds write %zu bytes after the end of the %zu bytes of dynamic shared memory of kernel %s "
              "launched at %s:%d",
              beyond, bytes, block.body.kernel, block.body.site.file, block.body.site.line);
#endif
}

}  // namespace cuvier_shim

// Written by the text pass behind the declaration of a shared variable.
#define CUVIER_SHIM_SHARED(name)                                  \
    static ::cuvier_shim::SharedOwner cuvier_shim_owner_##name;   \
    cuvier_shim_owner_##name.enter((void *)&name, sizeof(name))

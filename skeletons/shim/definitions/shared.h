// Cuvier host shim: how much shared memory a block has, and the buffer of what the launch sizes.
#pragma once

#include "../shim_shared.h"
#include "block.h"
#include "memory.h"

namespace cuvier_shim {

inline constexpr std::size_t shared_limit = 48 * 1024;  // per block, static and dynamic together
alignas(256) inline unsigned char dynamic_buffer[shared_limit + guard_bytes];

inline void use_shared(std::size_t bytes) {
    block.shared_bytes += bytes;
    if (block.shared_bytes > shared_limit)
        fatal("kernel %s launched at %s:%d uses %zu bytes of shared memory in a block; the limit is %zu",
              block.body.kernel, block.body.site.file, block.body.site.line, block.shared_bytes, shared_limit);
}

void claim_shared(void *variable, std::size_t bytes) {
    use_shared(bytes);
    fill_pattern(variable, bytes, fresh_pattern);
}

void *dynamic_shared() { return dynamic_buffer; }

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

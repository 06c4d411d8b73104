// Cuvier host shim: shared memory. `__shared__ T x[n];` is a static array, filled with NaN patterns when a block first
// passes its declaration; `extern __shared__ T x[];` is a pointer to one buffer of the launch's size.
#pragma once

#include <stddef.h>

#include "shim_mode.h"
#include "shim_types.h"

namespace cuvier_shim {

// Counts a shared variable among the block's and fills it with the pattern.
CUVIER_SHIM_API void claim_shared(void *variable, size_t bytes);

CUVIER_SHIM_API void *dynamic_shared();

// Belongs to one shared variable; knows which block used it last.
struct SharedOwner {
    unsigned long serial = 0;

    void enter(void *variable, size_t bytes) {
        if (serial == block_serial) return;
        serial = block_serial;
        claim_shared(variable, bytes);
    }
};

// What `extern __shared__ T x[];` is initialised with.
struct DynamicShared {
    template <class T>
    operator T *() const {
        return static_cast<T *>(dynamic_shared());
    }
};

}  // namespace cuvier_shim

// Written by the text pass behind the declaration of a shared variable.
#define CUVIER_SHIM_SHARED(name)                                  \
    static ::cuvier_shim::SharedOwner cuvier_shim_owner_##name;   \
    cuvier_shim_owner_##name.enter((void *)&name, sizeof(name))

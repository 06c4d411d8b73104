// Cuvier host shim: how a thread waits for others.
#pragma once

#include "../shim_warp.h"
#include "block.h"
#include "error.h"

namespace cuvier_shim {

Meeting meet(bool predicate, const char *operation, Site site) {
    block.current->mask = 0;
    block.current->sent = predicate;
    block.wait(State::at_barrier, operation, site);
    return block.met;
}

unsigned long long exchange(unsigned mask, int source, unsigned long long value, const char *operation,
                            Site site) {
    Thread &self = *block.current;
    if (!(mask >> lane() & 1u))
        fatal("%s at %s:%d: the mask 0x%08x lacks the calling thread's own lane %u", operation, site.file, site.line,
              mask, lane());
    self.mask = mask;
    self.source = source;
    self.sent = value;
    block.wait(State::at_warp, operation, site);
    return self.received;
}

}  // namespace cuvier_shim

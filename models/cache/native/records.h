/* What is read and what is counted: records of a trace, tallies of references, with reuse distances. */
#ifndef CUVIER_CACHE_RECORDS_H
#define CUVIER_CACHE_RECORDS_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { WRITE = 0x8000, INSTRUCTION = 0x4000, SIZE = 0x3fff };
enum { BLOCK = 0xffffffff, BARRIER = 0xfffffffe }; /* references of records that are no accesses */

/* One access, or the start of a thread block (its number is the address), or a barrier of that block. */
struct record {
    uint64_t address;
    uint32_t reference;
    uint16_t kind; /* the size in bytes, with WRITE or INSTRUCTION */
    uint16_t thread; /* in its block */
};

enum kind { COMPULSORY, CAPACITY, ASSOCIATIVITY, MSHR, LATENCY, KINDS, HIT = KINDS };

enum { NEVER = 0xffffffff, BUCKETS = 34, GROUPS = 16 };

struct tally {
    uint64_t turns; /* instructions of warps */
    uint64_t asked; /* by threads, before coalescing */
    uint64_t accesses;
    uint64_t misses[KINDS];
    uint64_t distances[BUCKETS];
};

/* The histogram's bucket of a distance: 0, 1, 2 to 3, 4 to 7, ...; the last one is for first accesses. */
static inline unsigned bucket_of(uint32_t distance)
{
    if (distance == NEVER)
        return BUCKETS - 1;
    return distance == 0 ? 0 : 32 - (unsigned)__builtin_clz(distance);
}

static inline uint64_t mixed(uint64_t key)
{
    key *= 0x9e3779b97f4a7c15u;
    return key ^ key >> 32;
}

/* Memory that is 0, or the end: the caller is a library in a Python process. Large tables, which are looked up
 * anywhere, take large pages where the system has them. */
static inline void *room(size_t count, size_t size)
{
    size_t bytes = count * size + !count, large = (size_t)1 << 21;
    void *memory = bytes < 2 * large ? calloc(1, bytes) : aligned_alloc(large, (bytes + large - 1) / large * large);
    if (memory == NULL)
        abort();
    if (bytes >= 2 * large) {
#ifdef MADV_HUGEPAGE
        madvise(memory, bytes, MADV_HUGEPAGE);
#endif
        memset(memory, 0, bytes);
    }
    return memory;
}

#endif

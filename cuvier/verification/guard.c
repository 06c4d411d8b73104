/* Guards around heap memory, linked in with -Wl,--wrap=malloc and so on: each block is filled with a pattern
 * (the same in every run, and no NaN), stands between two guards, and is looked up by any pointer into it. */
#include "watch.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 64, FREED = 0xD5, FENCE = 0xA9, MOST_FINDINGS = 32, MESSAGE = 256, NEAR = 256 };

typedef struct {
    char *start; /* NULL: never used; TOMB: used once */
    size_t bytes, front;
    const char *site, *name;
    int broken;
} Block;

#define TOMB ((char *)1)

static Block *blocks;
static size_t room, used; /* `used` counts tombs as well */
static char findings[MOST_FINDINGS][MESSAGE];
static int finding_count;
static size_t near[NEAR]; /* where block_around found what it was asked for last */
static char lock;

void *__real_malloc(size_t);
void *__real_calloc(size_t, size_t);
void *__real_realloc(void *, size_t);
void __real_free(void *);
int __real_posix_memalign(void **, size_t, size_t);

static void enter(void)
{
    while (__atomic_test_and_set(&lock, __ATOMIC_ACQUIRE)) {
    }
}

static void leave(void)
{
    __atomic_clear(&lock, __ATOMIC_RELEASE);
}

static size_t home(const char *start)
{
    return ((uintptr_t)start >> 4) * 0x9E3779B97F4A7C15ull >> 20 & (room - 1);
}

static Block *block_at(const char *start)
{
    for (size_t k = room ? home(start) : 0; room && blocks[k].start; k = (k + 1) & (room - 1))
        if (blocks[k].start == start)
            return &blocks[k];
    return NULL;
}

static void insert(Block block)
{
    size_t k = home(block.start);
    while (blocks[k].start > TOMB)
        k = (k + 1) & (room - 1);
    used += !blocks[k].start;
    blocks[k] = block;
}

static int grow(void)
{
    Block *old = blocks;
    size_t old_room = room;
    Block *fresh = __real_calloc(old_room ? 2 * old_room : 1024, sizeof *fresh);
    if (!fresh)
        return 0;
    blocks = fresh;
    room = old_room ? 2 * old_room : 1024;
    used = 0;
    for (size_t k = 0; k < old_room; k++)
        if (old[k].start > TOMB)
            insert(old[k]);
    __real_free(old);
    return 1;
}

static void add_finding(const Block *block, long from, size_t bytes)
{
    if (finding_count == MOST_FINDINGS)
        return;
    snprintf(findings[finding_count++], MESSAGE,
             "heap block of %zu bytes (%s%s%s%s): %zu bytes overwritten %s, %ld bytes %s", block->bytes,
             block->name ? "array " : "not used by a kernel", block->name ? block->name : "",
             block->name ? " of kernel " : "", block->name ? block->site : "", bytes,
             from < 0 ? "before it" : "behind it", from < 0 ? -from : from - (long)block->bytes,
             from < 0 ? "before its start" : "from its end");
}

/* Bytes of a guard that lost their pattern; `*first` is the index of the first of them. */
static size_t damage(const char *guard, size_t bytes, size_t *first)
{
    size_t count = 0;
    for (size_t k = bytes; k-- > 0;)
        if ((unsigned char)guard[k] != FENCE) {
            *first = k;
            count++;
        }
    return count;
}

static void check(Block *block)
{
    size_t first = 0, count;
    if (block->broken)
        return;
    if ((count = damage(block->start - block->front, block->front, &first)))
        add_finding(block, (long)first - (long)block->front, count);
    else if ((count = damage(block->start + block->bytes, GUARD, &first)))
        add_finding(block, (long)(block->bytes + first), count);
    block->broken = count > 0;
}

/* Programs that know the sizes of their blocks by a library that wraps the same functions (cgcm.h) hear of them here. */
__attribute__((weak)) void cgcm_note(const char *name, const void *block, size_t bytes);
__attribute__((weak)) void cgcm_forget(const void *block);
__attribute__((weak)) int cgcm_extent(const void *pointer, const void **base, size_t *bytes);
__attribute__((weak)) int cgcm_is_inside(void);

static void tell_of(const void *block, size_t bytes)
{
    if (cgcm_note && cgcm_is_inside && !cgcm_is_inside())
        cgcm_note("heap", block, bytes);
}

/* What the library allocates for itself, it has not been told of. */
static void tell_end(const void *block)
{
    const void *base = NULL;
    size_t bytes;
    if (cgcm_forget && cgcm_extent && cgcm_is_inside && !cgcm_is_inside() && cgcm_extent(block, &base, &bytes) && base == block)
        cgcm_forget(block);
}

/* Turn raw memory of front + bytes + GUARD bytes into a block. */
static void *adopt(char *raw, size_t front, size_t bytes, int pattern)
{
    if (!raw)
        return NULL;
    Block block = {raw + front, bytes, front, NULL, NULL, 0};
    memset(raw, FENCE, front);
    memset(block.start, pattern, bytes);
    memset(block.start + bytes, FENCE, GUARD);
    enter();
    int fits = 4 * (used + 1) < 3 * room || grow();
    if (fits)
        insert(block);
    leave();
    if (fits) {
        tell_of(block.start, bytes);
        return block.start;
    }
    __real_free(raw);
    return NULL;
}

/* What memory holds before it is written: another pattern shows what depends on that. */
static int fresh(void)
{
    static int pattern = -1;
    if (pattern < 0) {
        const char *text = getenv("CUVIER_WATCH_FILL");
        pattern = text ? (int)strtol(text, NULL, 0) & 0xFF : 0xC7;
    }
    return pattern;
}

static void *allocate(size_t bytes, int pattern)
{
    char *raw = bytes < SIZE_MAX - 2 * GUARD ? __real_malloc(bytes + 2 * GUARD) : NULL;
    void *result = adopt(raw, GUARD, bytes, pattern);
    if (!result)
        errno = ENOMEM;
    return result;
}

void *__wrap_malloc(size_t bytes)
{
    return allocate(bytes, fresh());
}

void *__wrap_calloc(size_t count, size_t size)
{
    size_t bytes;
    return allocate(__builtin_mul_overflow(count, size, &bytes) ? SIZE_MAX : bytes, 0);
}

void __wrap_free(void *pointer)
{
    enter();
    Block *block = pointer ? block_at(pointer) : NULL;
    char *raw = pointer;
    if (block) {
        check(block);
        memset(block->start, FREED, block->bytes);
        raw = block->start - block->front;
        block->start = TOMB;
    }
    leave();
    if (raw != pointer)
        tell_end(pointer);
    __real_free(raw);
}

void *__wrap_realloc(void *pointer, size_t bytes)
{
    enter();
    Block *block = pointer ? block_at(pointer) : NULL;
    size_t old = block ? block->bytes : 0;
    leave();
    if (pointer && !block)
        return __real_realloc(pointer, bytes);
    void *result = allocate(bytes, fresh());
    if (result && pointer) {
        memcpy(result, pointer, old < bytes ? old : bytes);
        __wrap_free(pointer);
    }
    return result;
}

void *__wrap_reallocarray(void *pointer, size_t count, size_t size)
{
    size_t bytes;
    return __wrap_realloc(pointer, __builtin_mul_overflow(count, size, &bytes) ? SIZE_MAX : bytes);
}

int __wrap_posix_memalign(void **result, size_t alignment, size_t bytes)
{
    size_t front = alignment > GUARD ? alignment : GUARD;
    void *raw = NULL;
    int status = __real_posix_memalign(&raw, alignment, front + bytes + GUARD);
    if (status)
        return status;
    *result = adopt(raw, front, bytes, fresh());
    return *result ? 0 : ENOMEM;
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    void *result = NULL;
    size_t least = alignment < sizeof(void *) ? sizeof(void *) : alignment;
    int status = __wrap_posix_memalign(&result, least, bytes);
    if (status)
        errno = status;
    return status ? NULL : result;
}

void *__wrap_memalign(size_t alignment, size_t bytes)
{
    return __wrap_aligned_alloc(alignment, bytes);
}

static int holds(size_t k, const char *inside)
{
    return k < room && blocks[k].start > TOMB && inside >= blocks[k].start &&
           inside <= blocks[k].start + blocks[k].bytes;
}

static Block *block_around(const char *inside)
{
    Block *exact = block_at(inside);
    size_t *last = &near[((uintptr_t)inside >> 4) % NEAR];
    if (exact || holds(*last, inside))
        return exact ? exact : &blocks[*last];
    for (size_t k = 0; k < room; k++)
        if (holds(k, inside))
            return &blocks[*last = k];
    return NULL;
}

int cuvier_block_find(const void *inside, const char **start, size_t *bytes)
{
    enter();
    Block *block = inside ? block_around(inside) : NULL;
    if (block) {
        *start = block->start;
        *bytes = block->bytes;
    }
    leave();
    return block != NULL;
}

void cuvier_block_check(const void *inside, const char *site, const char *name)
{
    enter();
    Block *block = inside ? block_around(inside) : NULL;
    if (block) {
        block->site = site;
        block->name = name;
        check(block);
    }
    leave();
}

int cuvier_block_findings(void (*report)(const char *message, void *context), void *context)
{
    enter();
    for (size_t k = 0; k < room; k++)
        if (blocks[k].start > TOMB)
            check(&blocks[k]);
    leave();
    for (int k = 0; k < finding_count; k++)
        report(findings[k], context);
    return finding_count;
}

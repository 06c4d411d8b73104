/* The allocation functions of a program that does not include cgcm.h.  Compile this file with it, and link with
 *     -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc,--wrap=posix_memalign,--wrap=free
 * They are weak: another library that wraps them takes their place, and no block is known then.  Calls out of the program's own object files are taken; those inside of shared libraries (strdup, getline) are not.  Blocks have
 * the name "heap". */
#include "cgcm.h"

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
int __real_posix_memalign(void **block, size_t alignment, size_t bytes);
void __real_free(void *block);

__attribute__((__weak__)) void *__wrap_malloc(size_t bytes);
__attribute__((__weak__)) void *__wrap_calloc(size_t count, size_t size);
__attribute__((__weak__)) void *__wrap_realloc(void *block, size_t bytes);
__attribute__((__weak__)) void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
__attribute__((__weak__)) int __wrap_posix_memalign(void **block, size_t alignment, size_t bytes);
__attribute__((__weak__)) void __wrap_free(void *block);

void *__wrap_malloc(size_t bytes)
{
    return cgcm_is_inside() ? __real_malloc(bytes) : cgcm_malloc("heap", bytes);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return cgcm_is_inside() ? __real_calloc(count, size) : cgcm_calloc("heap", count, size);
}

void *__wrap_realloc(void *block, size_t bytes)
{
    return cgcm_is_inside() ? __real_realloc(block, bytes) : cgcm_realloc("heap", block, bytes);
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    return cgcm_is_inside() ? __real_aligned_alloc(alignment, bytes) : cgcm_aligned_alloc("heap", alignment, bytes);
}

int __wrap_posix_memalign(void **block, size_t alignment, size_t bytes)
{
    return cgcm_is_inside() ? __real_posix_memalign(block, alignment, bytes) : cgcm_posix_memalign("heap", block, alignment, bytes);
}

void __wrap_free(void *block)
{
    if (cgcm_is_inside())
        __real_free(block);
    else
        cgcm_free(block);
}

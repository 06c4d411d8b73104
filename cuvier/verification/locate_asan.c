/* In place of guard.c in programs built with -fsanitize=address: the sanitizer guards the memory, and
 * knows the blocks. */
#include "watch.h"

#include <string.h>

const char *__asan_locate_address(void *address, char *name, size_t name_size, void **start, size_t *bytes);

int cuvier_block_find(const void *inside, const char **start, size_t *bytes)
{
    void *region = NULL;
    const char *where = inside ? __asan_locate_address((void *)inside, NULL, 0, &region, bytes) : "";
    *start = region;
    return !strcmp(where, "heap"); /* as guard.c: the original program has no other blocks */
}

void cuvier_block_check(const void *inside, const char *site, const char *name)
{
    (void)inside, (void)site, (void)name;
}

int cuvier_block_findings(void (*report)(const char *message, void *context), void *context)
{
    (void)report, (void)context;
    return 0;
}

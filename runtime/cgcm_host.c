/* The device of CGCM that is other memory of the host. */
#include "cgcm.h"

#include <stdlib.h>
#include <string.h>

static const char *cgcm_host_allocate(size_t bytes, cgcm_address *at)
{
    *at = (cgcm_address)(uintptr_t)malloc(bytes);
    return NULL;
}

static const char *cgcm_host_release(cgcm_address at, size_t bytes)
{
    (void)bytes;
    free((void *)(uintptr_t)at);
    return NULL;
}

static const char *cgcm_host_in(cgcm_address to, const void *from, size_t bytes)
{
    memcpy((void *)(uintptr_t)to, from, bytes);
    return NULL;
}

static const char *cgcm_host_out(void *to, cgcm_address from, size_t bytes)
{
    memcpy(to, (const void *)(uintptr_t)from, bytes);
    return NULL;
}

static const char *cgcm_host_finish(void)
{
    return NULL;
}

void cgcm_use_host(void)
{
    static const cgcm_device device = {"host", cgcm_host_allocate, cgcm_host_release, cgcm_host_in, cgcm_host_out, cgcm_host_finish};
    cgcm_use(&device);
}

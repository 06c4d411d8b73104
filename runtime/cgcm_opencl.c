/* The OpenCL device of CGCM: see cgcm_opencl.h.  Free stretches of the arena are kept in their order, apart from each other. */
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include "cgcm_opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CGCM_GRAIN = 128, CGCM_FIRST_ARENA = 1 << 20 };

typedef struct {
    size_t at, bytes;
} cgcm_stretch;

static struct {
    cl_context context;
    cl_device_id device;
    cl_command_queue queue;
    cl_mem buffer;
    size_t size, most;
    cgcm_stretch *items; /* free */
    size_t length, room;
    char said[64];
} cgcm_arena;

static const char *cgcm_opencl_said(cl_int status)
{
    if (status == CL_SUCCESS)
        return NULL;
    snprintf(cgcm_arena.said, sizeof cgcm_arena.said, "OpenCL error %d", (int)status);
    return cgcm_arena.said;
}

static size_t cgcm_grains(size_t bytes)
{
    return (bytes + CGCM_GRAIN - 1) / CGCM_GRAIN * CGCM_GRAIN;
}

static void cgcm_take_item(size_t place)
{
    cgcm_arena.length--;
    memmove(cgcm_arena.items + place, cgcm_arena.items + place + 1, (cgcm_arena.length - place) * sizeof *cgcm_arena.items);
}

/* There is room for one stretch more than there are. */
static int cgcm_has_room(void)
{
    if (cgcm_arena.length + 1 < cgcm_arena.room)
        return 1;
    const size_t room = 2 * cgcm_arena.room + 16;
    cgcm_stretch *grown = (cgcm_stretch *)realloc(cgcm_arena.items, room * sizeof *grown);
    if (grown == NULL)
        return 0;
    cgcm_arena.items = grown;
    cgcm_arena.room = room;
    return 1;
}

static const char *cgcm_give(size_t at, size_t bytes)
{
    size_t k = 0;
    if (!cgcm_has_room())
        return "no host memory is left for the list of free stretches";
    cgcm_stretch *items = cgcm_arena.items;
    while (k < cgcm_arena.length && items[k].at < at)
        k++;
    memmove(items + k + 1, items + k, (cgcm_arena.length - k) * sizeof *items);
    items[k].at = at;
    items[k].bytes = bytes;
    cgcm_arena.length++;
    if (k + 1 < cgcm_arena.length && at + bytes == items[k + 1].at) {
        items[k].bytes += items[k + 1].bytes;
        cgcm_take_item(k + 1);
    }
    if (k > 0 && items[k - 1].at + items[k - 1].bytes == at) {
        items[k - 1].bytes += items[k].bytes;
        cgcm_take_item(k);
    }
    return NULL;
}

/* The first free stretch that is long enough; 0 where there is none. */
static cgcm_address cgcm_take(size_t bytes)
{
    for (size_t k = 0; k < cgcm_arena.length; k++) {
        cgcm_stretch *one = &cgcm_arena.items[k];
        if (one->bytes < bytes)
            continue;
        const size_t at = one->at;
        one->at += bytes;
        one->bytes -= bytes;
        if (one->bytes == 0)
            cgcm_take_item(k);
        return at;
    }
    return 0;
}

/* A larger buffer with the same contents; 0 where the device has none. */
static int cgcm_grow_to(size_t size)
{
    cl_int status;
    cl_mem buffer = clCreateBuffer(cgcm_arena.context, CL_MEM_READ_WRITE, size, NULL, &status);
    if (status != CL_SUCCESS)
        return 0;
    const char zero = 0; /* some drivers find memory for a buffer only when it is used */
    status = clEnqueueWriteBuffer(cgcm_arena.queue, buffer, CL_TRUE, size - 1, 1, &zero, 0, NULL, NULL);
    if (status == CL_SUCCESS && cgcm_arena.buffer != NULL)
        status = clEnqueueCopyBuffer(cgcm_arena.queue, cgcm_arena.buffer, buffer, 0, 0, cgcm_arena.size, 0, NULL, NULL);
    if (status == CL_SUCCESS)
        status = clFinish(cgcm_arena.queue);
    if (status != CL_SUCCESS) {
        clReleaseMemObject(buffer);
        return 0;
    }
    if (cgcm_arena.buffer != NULL)
        clReleaseMemObject(cgcm_arena.buffer);
    cgcm_arena.buffer = buffer;
    return 1;
}

static size_t cgcm_at_most(size_t bytes)
{
    return bytes < cgcm_arena.most ? bytes : cgcm_arena.most;
}

/* Makes the arena longer by `bytes` at least; `has_grown` is 0 where it cannot be. */
static const char *cgcm_grow(size_t bytes, int *has_grown)
{
    const size_t old = cgcm_arena.size, doubled = old ? 2 * old : CGCM_FIRST_ARENA;
    *has_grown = 0;
    if (bytes > cgcm_arena.most || old > cgcm_arena.most - bytes)
        return NULL;
    const size_t least = old ? old + bytes : CGCM_GRAIN + bytes;
    const size_t wanted = cgcm_at_most(doubled > least ? doubled : least);
    if (!cgcm_has_room())
        return "no host memory is left for the list of free stretches";
    const size_t size = cgcm_grow_to(wanted) ? wanted : cgcm_grow_to(least) ? least : old;
    if (size == old)
        return NULL;
    const size_t first = old ? old : CGCM_GRAIN; /* no unit is at 0 */
    cgcm_arena.size = size;
    *has_grown = 1;
    return cgcm_give(first, size / CGCM_GRAIN * CGCM_GRAIN - first);
}

static const char *cgcm_opencl_allocate(size_t bytes, cgcm_address *at)
{
    int has_grown = 1;
    bytes = cgcm_grains(bytes);
    *at = cgcm_take(bytes);
    if (*at != 0)
        return NULL;
    const char *complaint = cgcm_grow(bytes, &has_grown);
    if (complaint == NULL && has_grown)
        *at = cgcm_take(bytes);
    return complaint;
}

static const char *cgcm_opencl_release(cgcm_address at, size_t bytes)
{
    return cgcm_give((size_t)at, cgcm_grains(bytes));
}

static const char *cgcm_opencl_in(cgcm_address to, const void *from, size_t bytes)
{
    if (bytes == 0)
        return NULL;
    return cgcm_opencl_said(clEnqueueWriteBuffer(cgcm_arena.queue, cgcm_arena.buffer, CL_TRUE, (size_t)to, bytes, from, 0, NULL, NULL));
}

static const char *cgcm_opencl_out(void *to, cgcm_address from, size_t bytes)
{
    if (bytes == 0)
        return NULL;
    return cgcm_opencl_said(clEnqueueReadBuffer(cgcm_arena.queue, cgcm_arena.buffer, CL_TRUE, (size_t)from, bytes, to, 0, NULL, NULL));
}

static const char *cgcm_opencl_finish(void)
{
    return cgcm_opencl_said(clFinish(cgcm_arena.queue));
}

static void cgcm_opencl_failed(const char *what, cl_int status)
{
    fprintf(stderr, "cgcm: %s: OpenCL error %d\n", what, (int)status);
    exit(1);
}

void cgcm_use_opencl(cl_context context, cl_device_id device, cl_command_queue queue)
{
    static const cgcm_device kind = {"OpenCL",       cgcm_opencl_allocate, cgcm_opencl_release,
                                     cgcm_opencl_in, cgcm_opencl_out,      cgcm_opencl_finish};
    cl_command_queue_properties properties = 0;
    cl_ulong most = 0;
    if (queue == cgcm_arena.queue && context == cgcm_arena.context)
        return;
    cl_int status = clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL);
    if (status == CL_SUCCESS)
        status = clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, NULL);
    if (status != CL_SUCCESS)
        cgcm_opencl_failed("cgcm_use_opencl", status);
    if (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
        cgcm_opencl_failed("cgcm_use_opencl: the queue must execute in order", CL_INVALID_COMMAND_QUEUE);
    cgcm_use(&kind); /* an error if units are mapped */
    if (cgcm_arena.buffer != NULL)
        clReleaseMemObject(cgcm_arena.buffer);
    free(cgcm_arena.items);
    memset(&cgcm_arena, 0, sizeof cgcm_arena);
    cgcm_arena.context = context;
    cgcm_arena.device = device;
    cgcm_arena.queue = queue;
    cgcm_arena.most = (size_t)most / CGCM_GRAIN * CGCM_GRAIN;
}

cl_mem cgcm_opencl_arena(void)
{
    return cgcm_arena.buffer;
}

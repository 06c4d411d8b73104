/* What the launch functions share: every call of CUDA is checked; an error is reported on stderr with the
 * kernel and the array that it concerns, and ends the program with status 1. */
#ifndef CUVIER_RUNTIME_H
#define CUVIER_RUNTIME_H

#include <cuda_runtime.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number of a thread along an axis, and how many there are. */
#define CUVIER_ID(axis) ((long)blockIdx.axis * blockDim.axis + threadIdx.axis)
#define CUVIER_COUNT(axis) ((long)gridDim.axis * blockDim.axis)

/* Of these, one copy each: inlined into every launch, they would take longer to compile than all else does. */
#define CUVIER_FUNCTION static __noinline__ __attribute__((__unused__))

static inline void cuvier_check(cudaError_t status, const char *kernel, const char *call, const char *what)
{
    if (status == cudaSuccess)
        return;
    fprintf(stderr, "cuvier: %s: %s(%s) failed: %s\n", kernel, call, what, cudaGetErrorString(status));
    exit(1);
}

static inline long cuvier_min(long a, long b)
{
    return a < b ? a : b;
}

static inline long cuvier_max(long a, long b)
{
    return a > b ? a : b;
}

/* Blocks of `size` threads for `trips` iterations, `most` at most. */
static inline unsigned int cuvier_groups(long trips, long size, long most)
{
    return (unsigned int)cuvier_min((trips - 1) / size + 1, most);
}

static inline int cuvier_shares_memory(void)
{
    return 0;
}

typedef char *cuvier_buffer;
typedef cudaEvent_t cuvier_moment;
typedef void *cuvier_results;
enum { CUVIER_ADDRESSES = 1 }; /* kernels can find all buffers by places that they read */
#include "cuvier_data.h"

/* The last copies to and from the device: all before them are done when they are. */
static __thread cudaEvent_t cuvier_writes[CUVIER_MOST], cuvier_fetches[CUVIER_MOST];
#define cuvier_written cuvier_writes[cuvier_at]
#define cuvier_fetched cuvier_fetches[cuvier_at]

CUVIER_FUNCTION void cuvier_record(const char *kernel, const char *what, cudaEvent_t *event)
{
    if (*event == NULL)
        cuvier_check(cudaEventCreateWithFlags(event, cudaEventDisableTiming), kernel, "cudaEventCreateWithFlags", what);
    cuvier_check(cudaEventRecord(*event, 0), kernel, "cudaEventRecord", what);
}

/* What comes from the device while the host goes on, comes into memory that does not move, and from there to its place. */
typedef struct {
    char *to;
    size_t at, bytes;
} cuvier_parcel;

typedef struct {
    char *memory;
    size_t size, used, count;
    cuvier_parcel *parcels;
} cuvier_landing;

enum { CUVIER_LEAST_LANDING = 1048576, CUVIER_LANDING = 67108864 }; /* bytes */

static __thread cuvier_landing cuvier_landings[CUVIER_MOST];
#define cuvier_arriving cuvier_landings[cuvier_at]

CUVIER_FUNCTION void *cuvier_alloc(const char *kernel, const char *what, long count, size_t size)
{
    void *buffer = NULL;
    const size_t bytes = (size_t)cuvier_max(count, 1) * size;
    cuvier_check(cudaMalloc(&buffer, bytes), kernel, "cudaMalloc", what);
#ifdef CUVIER_POISON
    cuvier_check(cudaMemset(buffer, 0xA5, bytes), kernel, "cudaMemset", what);
#endif
    return buffer;
}

CUVIER_FUNCTION void cuvier_free(const char *kernel, const char *what, void *buffer)
{
    cuvier_check(cudaFree(buffer), kernel, "cudaFree", what);
}

CUVIER_FUNCTION char *cuvier_device_alloc(const char *kernel, const char *what, char *host, size_t bytes, size_t room, int is_found, int *stays)
{
    void *buffer = NULL;
    (void)host, (void)is_found;
    const cudaError_t status = cudaMalloc(&buffer, bytes + room);
    *stays = status == cudaErrorMemoryAllocation ? CUVIER_FULL : 0;
    if (*stays == CUVIER_FULL) {
        (void)cudaGetLastError(); /* the next launch is not to report it */
        return NULL;
    }
    cuvier_check(status, kernel, "cudaMalloc", what);
#ifdef CUVIER_POISON
    cuvier_check(cudaMemset(buffer, 0xA5, bytes + room), kernel, "cudaMemset", what);
#endif
    return (char *)buffer;
}

CUVIER_FUNCTION void cuvier_device_free(const char *kernel, const char *what, char *buffer)
{
    cuvier_free(kernel, what, buffer);
}

CUVIER_FUNCTION void cuvier_device_write(const char *kernel, const char *what, char *buffer, size_t at, const char *from, size_t bytes)
{
    cuvier_check(cudaMemcpyAsync(buffer + at, from, bytes, cudaMemcpyHostToDevice, 0), kernel, "cudaMemcpyAsync", what);
    cuvier_record(kernel, what, &cuvier_written);
}

CUVIER_FUNCTION void cuvier_device_settle(const char *kernel)
{
    cuvier_check(cudaEventSynchronize(cuvier_written), kernel, "cudaEventSynchronize", "copies to the device");
}

CUVIER_FUNCTION int cuvier_device_fetch(const char *kernel, const char *what, char *buffer, size_t at, char *to, size_t bytes)
{
    cuvier_landing *landing = &cuvier_arriving;
    if (landing->used == 0 && landing->size < bytes && bytes <= CUVIER_LANDING) {
        if (landing->memory)
            cuvier_check(cudaFreeHost(landing->memory), kernel, "cudaFreeHost", what);
        landing->size = bytes < CUVIER_LEAST_LANDING ? CUVIER_LEAST_LANDING : bytes;
        cuvier_check(cudaMallocHost((void **)&landing->memory, landing->size), kernel, "cudaMallocHost", what);
    }
    if (landing->size - landing->used < bytes)
        return 0;
    const cuvier_parcel parcel = {to, landing->used, bytes};
    landing->parcels = (cuvier_parcel *)cuvier_grown(landing->parcels, (landing->count + 1) * sizeof parcel);
    landing->parcels[landing->count++] = parcel;
    cuvier_check(cudaMemcpyAsync(landing->memory + parcel.at, buffer + at, bytes, cudaMemcpyDeviceToHost, 0), kernel,
                 "cudaMemcpyAsync", what);
    cuvier_record(kernel, what, &cuvier_fetched);
    landing->used += bytes;
    return 1;
}

CUVIER_FUNCTION void cuvier_device_arrive(const char *kernel)
{
    cuvier_landing *landing = &cuvier_arriving;
    cuvier_check(cudaEventSynchronize(cuvier_fetched), kernel, "cudaEventSynchronize", "copies from the device");
    for (size_t k = 0; k < landing->count; k++)
        memcpy(landing->parcels[k].to, landing->memory + landing->parcels[k].at, landing->parcels[k].bytes);
    landing->used = landing->count = 0;
}

CUVIER_FUNCTION void cuvier_device_read(const char *kernel, const char *what, char *buffer, size_t at, char *to, size_t bytes)
{
    cuvier_check(cudaMemcpy(to, buffer + at, bytes, cudaMemcpyDeviceToHost), kernel, "cudaMemcpy", what);
}

CUVIER_FUNCTION void cuvier_device_show(const char *kernel, const char *what, char *buffer, size_t at, size_t bytes)
{
    (void)kernel, (void)what, (void)buffer, (void)at, (void)bytes; /* the host sees it by itself */
}

CUVIER_FUNCTION void cuvier_device_move(const char *kernel, const char *what, char *to, size_t to_at, char *from, size_t from_at, size_t bytes)
{
    cuvier_check(cudaMemcpy(to + to_at, from + from_at, bytes, cudaMemcpyDeviceToDevice), kernel, "cudaMemcpy", what);
}

#if CUVIER_DEVICES != 1
static int cuvier_numbers_of[CUVIER_MOST]; /* of the devices, as CUDA counts them */

CUVIER_FUNCTION void cuvier_device_enter(void)
{
    cuvier_check(cudaSetDevice(cuvier_numbers_of[cuvier_at]), "devices", "cudaSetDevice", "a device");
}

CUVIER_FUNCTION void cuvier_device_open(const char *kernel)
{
    static __thread int is_entered; /* by this thread */
    int available = 0;
    if (cuvier_device_count == 0) {
        cuvier_check(cudaGetDeviceCount(&available), kernel, "cudaGetDeviceCount", "is a driver installed?");
        cuvier_device_count = cuvier_device_numbers(available, cuvier_numbers_of);
    }
    if (!is_entered)
        cuvier_device_enter();
    is_entered = 1;
}

CUVIER_FUNCTION cudaEvent_t cuvier_device_moment(const char *kernel)
{
    cudaEvent_t moment = NULL;
    cuvier_record(kernel, "a launch", &moment);
    return moment;
}

CUVIER_FUNCTION void cuvier_device_forget(const char *kernel, cudaEvent_t moment)
{
    cuvier_check(cudaEventDestroy(moment), kernel, "cudaEventDestroy", "a launch");
}

CUVIER_FUNCTION void cuvier_device_across(const char *kernel, const char *what, char *to, size_t to_at, int other, char *from, size_t from_at,
                                          size_t bytes, cudaEvent_t moment)
{
    const int own = cuvier_at;
    cuvier_check(cudaStreamWaitEvent(0, moment, 0), kernel, "cudaStreamWaitEvent", what);
    cuvier_check(cudaMemcpyPeerAsync(to + to_at, cuvier_numbers_of[own], from + from_at, cuvier_numbers_of[other], bytes, 0), kernel,
                 "cudaMemcpyPeerAsync", what);
    const cudaEvent_t copied = cuvier_device_moment(kernel);
    cuvier_go_to(other);
    cuvier_check(cudaStreamWaitEvent(0, copied, 0), kernel, "cudaStreamWaitEvent", what);
    cuvier_go_to(own);
    cuvier_device_forget(kernel, copied);
}
#endif

CUVIER_FUNCTION void cuvier_device_wait(const char *kernel)
{
    cuvier_check(cudaDeviceSynchronize(), kernel, "cudaDeviceSynchronize", "the kernel");
}

/* Where the device has the cell `host[first]`, the first of `count` that are mapped; NULL where there are none. */
CUVIER_FUNCTION void *cuvier_cells(const void *host, long first, long count, size_t size)
{
    char *begin = (char *)host + first * (long)size;
    if (count <= 0)
        return NULL;
    const cuvier_unit *unit = cuvier_unit_around(begin, begin + count * (long)size);
    return unit->buffer + cuvier_place(unit, begin);
}

/* Where the device has the byte `at`, as kernels that read such places see it. */
static inline unsigned long cuvier_address(const cuvier_unit *unit, const char *at)
{
    return (unsigned long)(uintptr_t)(unit->buffer + cuvier_place(unit, at));
}

CUVIER_FUNCTION void *cuvier_host_alloc(const char *kernel, const char *what, long count, size_t size)
{
    void *memory = malloc((size_t)count * size);
    cuvier_check(memory ? cudaSuccess : cudaErrorMemoryAllocation, kernel, "malloc", what);
    return memory;
}

/* Values that threads hand to the host, or it to them: `count` cells of a buffer. */
CUVIER_FUNCTION void cuvier_hand_in(const char *kernel, const char *what, void *buffer, const void *host, long count, size_t size)
{
    cuvier_device_write(kernel, what, (char *)buffer, 0, (const char *)host, (size_t)count * size);
    cuvier_device_settle(kernel);
    cuvier_count_in(what, (size_t)count * size);
}

CUVIER_FUNCTION void cuvier_hand_out(const char *kernel, const char *what, void *buffer, void *host, long count, size_t size)
{
    cuvier_wait(kernel);
    cuvier_device_read(kernel, what, (char *)buffer, 0, (char *)host, (size_t)count * size);
    cuvier_count_out(what, (size_t)count * size);
}

#if CUVIER_DEVICES != 1 || defined CUVIER_DEFAULT_POLICY
CUVIER_FUNCTION void cuvier_device_results(const char *kernel, const char *what, void *buffer, void *host, long count, size_t size)
{
    cuvier_hand_out(kernel, what, buffer, host, count, size);
    cuvier_free(kernel, what, buffer);
}
#endif

/* The begin and the end of a launch that is timed. */
static __thread cudaEvent_t cuvier_begins[CUVIER_MOST], cuvier_ends[CUVIER_MOST];
#define cuvier_begun cuvier_begins[cuvier_at]
#define cuvier_ended cuvier_ends[cuvier_at]

CUVIER_FUNCTION void cuvier_mark(const char *kernel, cudaEvent_t *event)
{
    if (*event == NULL)
        cuvier_check(cudaEventCreate(event), kernel, "cudaEventCreate", "times");
    cuvier_check(cudaEventRecord(*event, 0), kernel, "cudaEventRecord", "times");
}

#ifdef __CUDACC__
/* Keeps the device busy while the host launches what is to be timed, or a time would have the launch in it. */
static __global__ void cuvier_hold(long long cycles)
{
    const long long end = clock64() + cycles;
    while (clock64() < end)
        ;
}
#endif

CUVIER_FUNCTION void cuvier_start(const char *kernel)
{
    if (cuvier_keeps_time)
        cuvier_mark(kernel, &cuvier_begun);
    if (cuvier_keeps_time || !cuvier_timing())
        return;
#ifdef __CUDACC__
    cuvier_hold<<<1, 1>>>(50000);
#endif
    cuvier_mark(kernel, &cuvier_begun);
}

/* How many seconds the last launch ran that was timed. */
CUVIER_FUNCTION double cuvier_device_took(const char *kernel)
{
    float milliseconds = 0;
    cuvier_check(cudaEventSynchronize(cuvier_ended), kernel, "cudaEventSynchronize", "times");
    cuvier_check(cudaEventElapsedTime(&milliseconds, cuvier_begun, cuvier_ended), kernel, "cudaEventElapsedTime", "times");
    return milliseconds / 1e3;
}

CUVIER_FUNCTION void cuvier_stop(const char *kernel)
{
    if (cuvier_keeps_time || cuvier_timing())
        cuvier_mark(kernel, &cuvier_ended);
    if (!cuvier_keeps_time && cuvier_timing())
        cuvier_add_time(kernel, cuvier_device_took(kernel));
}

CUVIER_FUNCTION void cuvier_check_launch(const char *kernel)
{
    cuvier_check(cudaGetLastError(), kernel, "launch", "the kernel");
    cuvier_stop(kernel);
    cuvier_launched(kernel);
}

#endif

/* CUDA's functions as a program for one GPU calls them, for several: for rewritten programs (`cuvier devices FILE.cu`).
 *
 * What cudaMalloc gives is an address in host memory, by which the account of cuvier_data.h knows the array: every device has
 * the cells that its blocks touch, and the host those that nobody has written on a device since. */
#ifndef CUVIER_MULTI_H
#define CUVIER_MULTI_H

#include "cuvier_runtime.h"

/* What is allocated: stretches of host memory. */
static cuvier_bytes cuvier_allocated;

CUVIER_FUNCTION cuvier_stretch *cuvier_allocation(const void *at)
{
    for (size_t k = 0; k < cuvier_allocated.length; k++)
        if (cuvier_allocated.items[k].begin <= (const char *)at && (const char *)at < cuvier_allocated.items[k].end)
            return &cuvier_allocated.items[k];
    return NULL;
}

static inline cudaError_t cuvier_cudaMalloc(void **pointer, size_t bytes)
{
    char *const memory = (char *)malloc(bytes ? bytes : 1);
    if (pointer == NULL)
        return cudaErrorInvalidValue;
    if (memory == NULL)
        return cudaErrorMemoryAllocation;
    cuvier_device_open("cudaMalloc");
    cuvier_put(&cuvier_allocated, memory, memory + (bytes ? bytes : 1));
    *pointer = memory;
    return cudaSuccess;
}

template <class T> static inline cudaError_t cuvier_cudaMalloc(T **pointer, size_t bytes)
{
    return cuvier_cudaMalloc((void **)pointer, bytes);
}

CUVIER_FUNCTION cudaError_t cuvier_cudaFree(void *pointer)
{
    cuvier_stretch *const found = cuvier_allocation(pointer);
    if (pointer == NULL)
        return cudaSuccess;
    if (found == NULL || found->begin != pointer)
        return cudaErrorInvalidValue;
    cuvier_host_drops(found->begin, (size_t)(found->end - found->begin));
    free(found->begin);
    *found = cuvier_allocated.items[--cuvier_allocated.length];
    return cudaSuccess;
}

/* Is all of it in one allocation? */
static inline int cuvier_is_virtual(const void *at, size_t bytes)
{
    const cuvier_stretch *const found = cuvier_allocation(at);
    return found != NULL && (const char *)at + bytes <= found->end;
}

CUVIER_FUNCTION cudaError_t cuvier_cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    const int to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const int from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    if (bytes == 0)
        return cudaSuccess;
    if (kind != cudaMemcpyDefault && (to_device != cuvier_is_virtual(to, bytes) || from_device != cuvier_is_virtual(from, bytes)))
        return cudaErrorInvalidValue;
    if (cuvier_is_virtual(from, bytes))
        cuvier_host_reads(from, bytes);
    if (cuvier_is_virtual(to, bytes))
        cuvier_host_overwrites(to, bytes);
    memmove(to, from, bytes);
    return cudaSuccess;
}

static inline cudaError_t cuvier_cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream = 0)
{
    (void)stream;
    return cuvier_cudaMemcpy(to, from, bytes, kind);
}

CUVIER_FUNCTION cudaError_t cuvier_cudaMemset(void *to, int value, size_t bytes)
{
    if (bytes == 0)
        return cudaSuccess;
    if (!cuvier_is_virtual(to, bytes))
        return cudaErrorInvalidValue;
    cuvier_host_overwrites(to, bytes);
    memset(to, value, bytes);
    return cudaSuccess;
}

static inline cudaError_t cuvier_cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream = 0)
{
    (void)stream;
    return cuvier_cudaMemset(to, value, bytes);
}

/* On every device. */
template <class T>
static inline cudaError_t cuvier_cudaMemcpyToSymbol(T &symbol, const void *from, size_t bytes, size_t offset = 0,
                                                    cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    cudaError_t status = cudaSuccess;
    cuvier_device_open("cudaMemcpyToSymbol");
    if (kind != cudaMemcpyHostToDevice)
        return cudaErrorInvalidMemcpyDirection;
    for (int device = 0; device < cuvier_device_count && status == cudaSuccess; device++) {
        cuvier_go_to(device);
        status = cudaMemcpyToSymbol(symbol, from, bytes, offset, kind);
    }
    cuvier_go_to(0);
    return status;
}

CUVIER_FUNCTION cudaError_t cuvier_cudaDeviceSynchronize(void)
{
    cudaError_t status = cudaSuccess;
    cuvier_device_open("cudaDeviceSynchronize");
    for (int device = 0; device < cuvier_device_count && status == cudaSuccess; device++) {
        cuvier_go_to(device);
        status = cudaDeviceSynchronize();
    }
    cuvier_go_to(0);
    return status;
}

static inline cudaError_t cuvier_cudaThreadSynchronize(void)
{
    return cuvier_cudaDeviceSynchronize();
}

static inline cudaError_t cuvier_cudaStreamSynchronize(cudaStream_t stream)
{
    (void)stream;
    return cuvier_cudaDeviceSynchronize();
}

/* All devices are at rest then: times between two events are those of all of them. */
static inline cudaError_t cuvier_cudaEventRecord(cudaEvent_t event, cudaStream_t stream = 0)
{
    const cudaError_t status = cuvier_cudaDeviceSynchronize();
    (void)stream;
    return status == cudaSuccess ? cudaEventRecord(event, 0) : status;
}

CUVIER_FUNCTION cudaError_t cuvier_cudaDeviceReset(void)
{
    while (cuvier_allocated.length > 0)
        cuvier_cudaFree(cuvier_allocated.items[0].begin);
    return cudaSuccess;
}

/* The program is one for one device. */
static inline cudaError_t cuvier_cudaGetDeviceCount(int *count)
{
    *count = 1;
    return cudaSuccess;
}

static inline cudaError_t cuvier_cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}

static inline cudaError_t cuvier_cudaSetDevice(int device)
{
    return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

/* The cells from `first` to `last` of an array, as far as it has them. */
CUVIER_FUNCTION cuvier_stretch cuvier_within(const void *array, long first, long last, size_t size)
{
    const cuvier_stretch *const all = cuvier_allocation(array);
    cuvier_stretch found = cuvier_stretch_of(array, first, last - first + 1, size);
    if (all == NULL) {
        fprintf(stderr, "cuvier: a kernel is given an address that cudaMalloc has not returned\n");
        exit(1);
    }
    found.begin = found.begin < all->begin ? all->begin : found.begin;
    found.end = found.end > all->end ? all->end : found.end;
    return found;
}

/* Is it a launch that any device takes? */
static inline bool cuvier_is_launchable(dim3 grid, dim3 block)
{
    const bool is_there = grid.x && grid.y && grid.z && block.x && block.y && block.z;
    return is_there && block.x <= 1024 && block.y <= 1024 && block.z <= 64 && (size_t)block.x * block.y * block.z <= 1024 && grid.y <= 65535 &&
           grid.z <= 65535;
}

/* An error from before the launch is the program's to ask for. */
CUVIER_FUNCTION void cuvier_multi_launched(const char *kernel, cudaError_t before)
{
    if (before == cudaSuccess)
        cuvier_check_launch(kernel);
    else
        cuvier_launched(kernel);
}

/* The numbers of the first and the last cell of an array's memory. */
static inline long cuvier_first_cell(const void *array, size_t size)
{
    const cuvier_stretch *const all = cuvier_allocation(array);
    return all ? -(long)((size_t)((const char *)array - all->begin) / size) : 0;
}

static inline long cuvier_last_cell(const void *array, size_t size)
{
    const cuvier_stretch *const all = cuvier_allocation(array);
    return all ? (long)((size_t)(all->end - (const char *)array) / size) - 1 : -1;
}

/* All of an array has a place on the device. */
CUVIER_FUNCTION cuvier_stretch cuvier_multi_map_all(const char *kernel, const char *what, const void *array)
{
    const cuvier_stretch none = cuvier_within(array, 0, -1, 1), *const all = cuvier_allocation(array);
    (void)none;
    cuvier_map_bytes(kernel, what, all->begin, *all, CUVIER_KNOWN);
    return *all;
}

/* Cells that a kernel touches have a place on the device. */
CUVIER_FUNCTION cuvier_stretch cuvier_multi_map(const char *kernel, const char *what, const void *array, long first, long last, size_t size)
{
    const cuvier_stretch cells = cuvier_within(array, first, last, size);
    const cuvier_stretch *const all = cuvier_allocation(array);
    if (cells.begin < cells.end)
        cuvier_map_bytes(kernel, what, all->begin, cells, CUVIER_KNOWN);
    return cells;
}

CUVIER_FUNCTION void cuvier_multi_list(cuvier_bytes *cells, const void *array, long first, long last, size_t size)
{
    const cuvier_stretch one = cuvier_within(array, first, last, size);
    if (one.begin < one.end)
        cuvier_list(cells, one.begin, 0, one.end - one.begin - 1, 1);
}

/* Where the device has the first of some cells; NULL where there are none. */
CUVIER_FUNCTION char *cuvier_multi_cells(cuvier_stretch cells)
{
    return cells.begin < cells.end ? (char *)cuvier_cells(cells.begin, 0, cells.end - cells.begin, 1) : NULL;
}

#endif

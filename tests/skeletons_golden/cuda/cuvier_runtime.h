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

/* The number of a thread along an axis, and how many there are. */
#define CUVIER_ID(axis) ((long)blockIdx.axis * blockDim.axis + threadIdx.axis)
#define CUVIER_COUNT(axis) ((long)gridDim.axis * blockDim.axis)

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

static inline void *cuvier_alloc(const char *kernel, const char *what, long count, size_t size)
{
    void *buffer = NULL;
    cuvier_check(cudaMalloc(&buffer, (size_t)cuvier_max(count, 1) * size), kernel, "cudaMalloc", what);
    return buffer;
}

static inline void cuvier_free(const char *kernel, const char *what, void *buffer)
{
    cuvier_check(cudaFree(buffer), kernel, "cudaFree", what);
}

static inline void *cuvier_host_alloc(const char *kernel, const char *what, long count, size_t size)
{
    void *memory = malloc((size_t)count * size);
    cuvier_check(memory ? cudaSuccess : cudaErrorMemoryAllocation, kernel, "malloc", what);
    return memory;
}

/* The `count` cells from `host[first]` on become the buffer's first ones. */
static inline void cuvier_copy_in(const char *kernel, const char *what, void *buffer, const void *host, long first,
                                  long count, size_t size)
{
    if (count <= 0)
        return;
    const char *from = (const char *)host + first * (long)size;
    cuvier_check(cudaMemcpy(buffer, from, (size_t)count * size, cudaMemcpyHostToDevice), kernel, "cudaMemcpy", what);
}

/* The `count` cells of the buffer from `place` on become those from `host[first]` on. */
static inline void cuvier_copy_out(const char *kernel, const char *what, const void *buffer, long place, void *host,
                                   long first, long count, size_t size)
{
    if (count <= 0)
        return;
    const char *from = (const char *)buffer + place * (long)size;
    char *to = (char *)host + first * (long)size;
    cuvier_check(cudaMemcpy(to, from, (size_t)count * size, cudaMemcpyDeviceToHost), kernel, "cudaMemcpy", what);
}

static inline void cuvier_wait(const char *kernel)
{
    cuvier_check(cudaGetLastError(), kernel, "launch", "the kernel");
    cuvier_check(cudaDeviceSynchronize(), kernel, "cudaDeviceSynchronize", "the kernel");
}

#endif

/* The OpenCL device of CGCM (1.2 and later).
 *
 * OpenCL 1.2 has no addresses that kernels could find in memory: a buffer is an argument of a kernel, or it cannot be reached.
 * So all units have their places in one buffer, the arena, and a cgcm_address is an offset into it (never 0).  A kernel gets the
 * arena and offsets, and an array of pointers is an array of offsets:
 *
 *     __kernel void scale(__global char *arena, ulong rows, ulong n)
 *     {
 *         __global const ulong *row = (__global const ulong *)(arena + rows);
 *         __global double *cells = (__global double *)(arena + row[get_global_id(0)]);
 *
 * Units begin at multiples of 128 bytes, which suits every type.  The arena grows when it is full, as far as one buffer of the device
 * may (CL_DEVICE_MAX_MEM_ALLOC_SIZE), and becomes another cl_mem then: set it as an argument after the maps of a launch. */
#ifndef CGCM_OPENCL_H
#define CGCM_OPENCL_H

#include <CL/cl.h>

#include "cgcm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The queue must execute in order, and kernels that use the arena must be in it.  Naming the same queue again does nothing. */
void cgcm_use_opencl(cl_context context, cl_device_id device, cl_command_queue queue);
cl_mem cgcm_opencl_arena(void);

#ifdef __cplusplus
}
#endif

#endif

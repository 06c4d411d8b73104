/* What the launch functions share: every call of OpenCL is checked; an error is reported on stderr with the
 * kernel and the array that it concerns, and ends the program with status 1.
 *
 * CUVIER_OPENCL_PLATFORM and CUVIER_OPENCL_DEVICE choose the device by number (default: 0 and 0); programs for several devices
 * take those of one platform (cuvier_devices.h), each with memory of its own.  Where host and device
 * share one memory, arrays stay where they are; CUVIER_OPENCL_COPY=1 copies them all the same.  Loops of few iterations are left to
 * the host there, where the program was compiled for such a device; CUVIER_LAUNCH_ALL=1 launches them, too. */
#ifndef CUVIER_RUNTIME_H
#define CUVIER_RUNTIME_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of these, one copy each: inlined into every launch, they would take longer to compile than all else does. */
#define CUVIER_FUNCTION static __attribute__((__noinline__, __unused__))

/* The device and the compiled program, made at the first launch and kept until the program ends. */
typedef struct {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_bool is_unified; /* the memory, with the host's */
} cuvier_session;

/* One launch of one kernel. */
typedef struct {
    const char *name;
    cl_kernel kernel;
    cl_uint arguments;
} cuvier_launch;

static inline void cuvier_check(cl_int status, const char *kernel, const char *call, const char *what)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "cuvier: %s: %s(%s) failed with OpenCL error %d\n", kernel, call, what, (int)status);
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

/* Device memory from a byte of a buffer on; without one, from a place in the arena, in which kernels find rows of tables. */
typedef struct {
    cl_mem memory;
    size_t at, bytes; /* of the arena */
} cuvier_buffer;
enum { CUVIER_ADDRESSES = 0 };
typedef cl_event cuvier_moment;
typedef cl_mem cuvier_results;
#include "cuvier_data.h"

static cuvier_session cuvier_sessions[CUVIER_MOST];
#define cuvier_opened cuvier_sessions[cuvier_at]

/* Work-groups of `size` items for `trips` iterations, `most` at most. */
static inline size_t cuvier_groups(long trips, size_t size, long most)
{
    return (size_t)cuvier_min((trips - 1) / (long)size + 1, most);
}

CUVIER_FUNCTION cl_uint cuvier_number(const char *variable)
{
    const char *text = getenv(variable);
    char *end = NULL;
    const long number = text ? strtol(text, &end, 10) : 0;
    if (text && (end == text || *end || number < 0 || number > 255)) {
        fprintf(stderr, "cuvier: %s=%s is not a number from 0 to 255\n", variable, text);
        exit(1);
    }
    return (cl_uint)number;
}

enum { CUVIER_LISTED = 256 }; /* platforms and devices at most */

/* The devices of the platform; as many as are returned. */
CUVIER_FUNCTION cl_uint cuvier_list_devices(const char *kernel, cl_device_id *devices)
{
    cl_platform_id platforms[CUVIER_LISTED];
    cl_uint count = 0;
    const cl_uint platform = cuvier_number("CUVIER_OPENCL_PLATFORM");
    cuvier_check(clGetPlatformIDs(CUVIER_LISTED, platforms, &count), kernel, "clGetPlatformIDs", "is an OpenCL driver installed?");
    if (platform >= count) {
        fprintf(stderr, "cuvier: CUVIER_OPENCL_PLATFORM=%u: there are %u platforms\n", platform, count);
        exit(1);
    }
    cuvier_check(clGetDeviceIDs(platforms[platform], CL_DEVICE_TYPE_ALL, CUVIER_LISTED, devices, &count), kernel, "clGetDeviceIDs",
                 "all");
    return count;
}

/* The numbers of the devices that the program has; as many as are returned. */
CUVIER_FUNCTION int cuvier_chosen_devices(cl_uint count, int *numbers)
{
#if CUVIER_DEVICES != 1
    return cuvier_device_numbers((int)count, numbers);
#else
    const cl_uint device = cuvier_number("CUVIER_OPENCL_DEVICE");
    if (device >= count) {
        fprintf(stderr, "cuvier: CUVIER_OPENCL_DEVICE=%u: there are %u devices\n", device, count);
        exit(1);
    }
    numbers[0] = (int)device;
    return 1;
#endif
}

/* For the `count` devices. */
CUVIER_FUNCTION void cuvier_build(const cuvier_session *session, const char *kernel, const cl_device_id *devices, cl_uint count)
{
    /* as exact as the host, where the device can be */
    cl_device_fp_config single = 0;
    cuvier_check(clGetDeviceInfo(session->device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof single, &single, NULL), kernel,
                 "clGetDeviceInfo", "CL_DEVICE_SINGLE_FP_CONFIG");
    const char *options = single & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT
                              ? "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt"
                              : "-cl-std=CL1.2";
    const cl_int status = clBuildProgram(session->program, count, devices, options, NULL, NULL);
    if (status != CL_SUCCESS) {
        size_t size = 0;
        clGetProgramBuildInfo(session->program, session->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
        char *log = (char *)calloc(size + 1, 1);
        if (log) {
            clGetProgramBuildInfo(session->program, session->device, CL_PROGRAM_BUILD_LOG, size, log, NULL);
            fprintf(stderr, "%s\n", log);
            free(log);
        }
    }
    cuvier_check(status, kernel, "clBuildProgram", "the kernels");
}

#ifdef CUVIER_DEFAULT_POLICY
/* Are launches divided, and so timed, wherever they can be? */
CUVIER_FUNCTION int cuvier_divides(void);
#endif

/* The queue of a device; its memory is the host's where that is so, and there is no other device. */
CUVIER_FUNCTION void cuvier_start(cuvier_session *session, const char *kernel)
{
    cl_int status;
#ifdef CUVIER_DEFAULT_POLICY
    const int is_timed = getenv("CUVIER_TIMES") != NULL || cuvier_divides();
#else
    const int is_timed = getenv("CUVIER_TIMES") != NULL;
#endif
    const cl_command_queue_properties timed = is_timed ? CL_QUEUE_PROFILING_ENABLE : 0;
    session->queue = clCreateCommandQueue(session->context, session->device, timed, &status);
    cuvier_check(status, kernel, "clCreateCommandQueue", "the device");
    cuvier_check(clGetDeviceInfo(session->device, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof session->is_unified,
                                 &session->is_unified, NULL),
                 kernel, "clGetDeviceInfo", "CL_DEVICE_HOST_UNIFIED_MEMORY");
    if (CUVIER_SEVERAL || cuvier_number("CUVIER_OPENCL_COPY"))
        session->is_unified = CL_FALSE;
#ifdef CUVIER_DEFAULT_POLICY
    cl_device_type type;
    cuvier_check(clGetDeviceInfo(session->device, CL_DEVICE_TYPE, sizeof type, &type, NULL), kernel, "clGetDeviceInfo", "CL_DEVICE_TYPE");
    if (cuvier_divides() && !(type & CL_DEVICE_TYPE_CPU))
        session->is_unified = CL_FALSE; /* both write to an array at the same time, which is only safe in one cache */
#endif
}

/* The devices with these numbers, each once; how many those are. */
CUVIER_FUNCTION cl_uint cuvier_distinct(const cl_device_id *devices, const int *numbers, int count, cl_device_id *distinct)
{
    cl_uint found = 0;
    for (int k = 0; k < count; k++) {
        cl_uint at = 0;
        while (at < found && distinct[at] != devices[numbers[k]])
            at++;
        if (at == found)
            distinct[found++] = devices[numbers[k]];
    }
    return found;
}

CUVIER_FUNCTION void cuvier_open(const char *source, const char *kernel)
{
    cl_device_id devices[CUVIER_LISTED], distinct[CUVIER_MOST];
    int numbers[CUVIER_MOST];
    cl_int status;
    if (cuvier_opened.context)
        return;
    const int count = cuvier_chosen_devices(cuvier_list_devices(kernel, devices), numbers);
    const cl_uint found = cuvier_distinct(devices, numbers, count, distinct);
    cuvier_session session = {NULL, NULL, NULL, NULL, CL_FALSE};
    session.context = clCreateContext(NULL, found, distinct, NULL, NULL, &status);
    cuvier_check(status, kernel, "clCreateContext", "the device");
    session.program = clCreateProgramWithSource(session.context, 1, &source, NULL, &status);
    cuvier_check(status, kernel, "clCreateProgramWithSource", "the kernels");
    session.device = distinct[0];
    cuvier_build(&session, kernel, distinct, found);
    for (int k = 0; k < count; k++) {
        session.device = devices[numbers[k]];
        cuvier_start(&session, kernel);
        cuvier_sessions[k] = session;
    }
#if CUVIER_DEVICES != 1
    cuvier_device_count = count;
#endif
}

/* May the host make a loop itself?  Where it has the device's memory, or nothing is on the device yet. */
CUVIER_FUNCTION int cuvier_may_stay(void)
{
    static int is_wanted = -1;
    if (is_wanted < 0)
        is_wanted = !cuvier_number("CUVIER_LAUNCH_ALL");
#ifdef CUVIER_POISON
    return is_wanted; /* what it asks for is looked at best where the memories are two */
#else
    return is_wanted && (cuvier_opened.context == NULL || cuvier_opened.is_unified);
#endif
}

/* Does the host have the device's memory, so that nothing moves? */
static inline int cuvier_shares_memory(void)
{
    return cuvier_opened.context != NULL && cuvier_opened.is_unified;
}

CUVIER_FUNCTION cuvier_launch cuvier_begin(const char *source, const char *name, const char *device_name)
{
    cl_int status;
    cuvier_launch launch = {name, NULL, 0};
    cuvier_open(source, name);
    launch.kernel = clCreateKernel(cuvier_opened.program, device_name, &status);
    cuvier_check(status, name, "clCreateKernel", device_name);
    return launch;
}

#ifdef CUVIER_UNITS
#include "cgcm_opencl.h"
#endif

/* The last copies to and from the device: all before them are done when they are. */
static __thread cl_event cuvier_writes[CUVIER_MOST], cuvier_fetches[CUVIER_MOST];
#define cuvier_written cuvier_writes[cuvier_at]
#define cuvier_fetched cuvier_fetches[cuvier_at]

CUVIER_FUNCTION void cuvier_poison(const char *kernel, const char *what, cl_mem memory, size_t at, size_t bytes)
{
#ifdef CUVIER_POISON
    const unsigned char poison = 0xA5;
    cuvier_check(clEnqueueFillBuffer(cuvier_opened.queue, memory, &poison, 1, at, bytes, 0, NULL, NULL), kernel,
                 "clEnqueueFillBuffer", what);
#else
    (void)kernel, (void)what, (void)memory, (void)at, (void)bytes;
#endif
}

CUVIER_FUNCTION cl_mem cuvier_buffer_of(const char *kernel, const char *what, size_t bytes)
{
    cl_int status;
    cl_mem buffer = clCreateBuffer(cuvier_opened.context, CL_MEM_READ_WRITE, bytes, NULL, &status);
    cuvier_check(status, kernel, "clCreateBuffer", what);
    cuvier_poison(kernel, what, buffer, 0, bytes);
    return buffer;
}

#ifdef CUVIER_UNITS
static inline cl_mem cuvier_memory(cuvier_buffer buffer)
{
    return buffer.memory ? buffer.memory : cgcm_opencl_arena();
}

CUVIER_FUNCTION cuvier_buffer cuvier_in_arena(const char *kernel, const char *what, size_t bytes)
{
    cgcm_use_opencl(cuvier_opened.context, cuvier_opened.device, cuvier_opened.queue);
    const cuvier_buffer made = {NULL, cgcm_reserve(what, bytes), bytes};
    cuvier_poison(kernel, what, cgcm_opencl_arena(), made.at, bytes);
    return made;
}
#else
static inline cl_mem cuvier_memory(cuvier_buffer buffer)
{
    return buffer.memory;
}
#endif

CUVIER_FUNCTION cl_mem cuvier_alloc(const cuvier_launch *launch, const char *what, long count, size_t size)
{
    return cuvier_buffer_of(launch->name, what, (size_t)cuvier_max(count, 1) * size);
}

CUVIER_FUNCTION void cuvier_device_free(const char *kernel, const char *what, cuvier_buffer buffer)
{
#ifdef CUVIER_UNITS
    if (buffer.memory == NULL) {
        cgcm_give_back(what, buffer.at, buffer.bytes);
        return;
    }
#endif
    cuvier_check(clReleaseMemObject(buffer.memory), kernel, "clReleaseMemObject", what);
}

CUVIER_FUNCTION void cuvier_free(const cuvier_launch *launch, cl_mem buffer)
{
    cuvier_check(clReleaseMemObject(buffer), launch->name, "clReleaseMemObject", "a buffer");
}

/* Where host and device share their memory, the host's own. */
CUVIER_FUNCTION cuvier_buffer cuvier_device_alloc(const char *kernel, const char *what, char *host, size_t bytes, size_t room, int is_found, int *stays)
{
    cuvier_buffer made = {NULL, 0, 0};
    cl_int status;
#ifdef CUVIER_UNITS
    if (is_found)
        return cuvier_in_arena(kernel, what, bytes + room);
#else
    (void)is_found;
#endif
    *stays = cuvier_opened.is_unified != CL_FALSE;
    if (!*stays) {
        made.memory = clCreateBuffer(cuvier_opened.context, CL_MEM_READ_WRITE, bytes + room, NULL, &status);
        if (status == CL_MEM_OBJECT_ALLOCATION_FAILURE || status == CL_INVALID_BUFFER_SIZE || status == CL_OUT_OF_RESOURCES)
            *stays = CUVIER_FULL;
        else
            cuvier_check(status, kernel, "clCreateBuffer", what);
        if (status == CL_SUCCESS)
            cuvier_poison(kernel, what, made.memory, 0, bytes + room);
        return made;
    }
    made.memory = clCreateBuffer(cuvier_opened.context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, host, &status);
    cuvier_check(status, kernel, "clCreateBuffer", what);
    return made;
}

CUVIER_FUNCTION void cuvier_device_write(const char *kernel, const char *what, cuvier_buffer buffer, size_t at, const char *from, size_t bytes)
{
    if (cuvier_written)
        cuvier_check(clReleaseEvent(cuvier_written), kernel, "clReleaseEvent", what);
    cuvier_check(clEnqueueWriteBuffer(cuvier_opened.queue, cuvier_memory(buffer), CL_FALSE, buffer.at + at, bytes, from, 0, NULL,
                                      &cuvier_written), kernel, "clEnqueueWriteBuffer", what);
}

CUVIER_FUNCTION void cuvier_device_settle(const char *kernel)
{
    cuvier_check(clWaitForEvents(1, &cuvier_written), kernel, "clWaitForEvents", "copies to the device");
}

CUVIER_FUNCTION int cuvier_device_fetch(const char *kernel, const char *what, cuvier_buffer buffer, size_t at, char *to, size_t bytes)
{
    if (cuvier_fetched)
        cuvier_check(clReleaseEvent(cuvier_fetched), kernel, "clReleaseEvent", what);
    cuvier_check(clEnqueueReadBuffer(cuvier_opened.queue, cuvier_memory(buffer), CL_FALSE, buffer.at + at, bytes, to, 0, NULL,
                                     &cuvier_fetched), kernel, "clEnqueueReadBuffer", what);
    cuvier_check(clFlush(cuvier_opened.queue), kernel, "clFlush", what);
    return 1;
}

CUVIER_FUNCTION void cuvier_device_arrive(const char *kernel)
{
    cuvier_check(clWaitForEvents(1, &cuvier_fetched), kernel, "clWaitForEvents", "copies from the device");
}

CUVIER_FUNCTION void cuvier_device_read(const char *kernel, const char *what, cuvier_buffer buffer, size_t at, char *to, size_t bytes)
{
    cuvier_check(clEnqueueReadBuffer(cuvier_opened.queue, cuvier_memory(buffer), CL_TRUE, buffer.at + at, bytes, to, 0, NULL, NULL), kernel,
                 "clEnqueueReadBuffer", what);
}

CUVIER_FUNCTION void cuvier_device_show(const char *kernel, const char *what, cuvier_buffer buffer, size_t at, size_t bytes)
{
    cl_int status;
    cl_mem memory = cuvier_memory(buffer);
    void *cells = clEnqueueMapBuffer(cuvier_opened.queue, memory, CL_FALSE, CL_MAP_READ, buffer.at + at, bytes, 0, NULL, NULL, &status);
    cuvier_check(status, kernel, "clEnqueueMapBuffer", what);
    cuvier_check(clEnqueueUnmapMemObject(cuvier_opened.queue, memory, cells, 0, NULL, NULL), kernel, "clEnqueueUnmapMemObject", what);
}

CUVIER_FUNCTION void cuvier_device_move(const char *kernel, const char *what, cuvier_buffer to, size_t to_at, cuvier_buffer from, size_t from_at, size_t bytes)
{
    cuvier_check(clEnqueueCopyBuffer(cuvier_opened.queue, cuvier_memory(from), cuvier_memory(to), from.at + from_at, to.at + to_at, bytes, 0,
                                     NULL, NULL), kernel, "clEnqueueCopyBuffer", what);
}

#if CUVIER_DEVICES != 1
CUVIER_FUNCTION void cuvier_device_open(const char *kernel)
{
    (void)kernel; /* launches have done it */
}

CUVIER_FUNCTION void cuvier_device_enter(void)
{
}

CUVIER_FUNCTION cl_event cuvier_device_moment(const char *kernel)
{
    cl_event moment;
    cuvier_check(clEnqueueMarkerWithWaitList(cuvier_opened.queue, 0, NULL, &moment), kernel, "clEnqueueMarkerWithWaitList", "a launch");
    cuvier_check(clFlush(cuvier_opened.queue), kernel, "clFlush", "a launch");
    return moment;
}

CUVIER_FUNCTION void cuvier_device_forget(const char *kernel, cl_event moment)
{
    cuvier_check(clReleaseEvent(moment), kernel, "clReleaseEvent", "a launch");
}

CUVIER_FUNCTION void cuvier_device_across(const char *kernel, const char *what, cuvier_buffer to, size_t to_at, int other, cuvier_buffer from,
                                          size_t from_at, size_t bytes, cl_event moment)
{
    cl_event copied;
    cuvier_check(clEnqueueCopyBuffer(cuvier_opened.queue, from.memory, to.memory, from_at, to_at, bytes, 1, &moment, &copied), kernel,
                 "clEnqueueCopyBuffer", what);
    cuvier_check(clFlush(cuvier_opened.queue), kernel, "clFlush", what);
    cuvier_check(clEnqueueBarrierWithWaitList(cuvier_sessions[other].queue, 1, &copied, NULL), kernel, "clEnqueueBarrierWithWaitList", what);
    cuvier_check(clReleaseEvent(copied), kernel, "clReleaseEvent", what);
}
#endif

CUVIER_FUNCTION void cuvier_device_wait(const char *kernel)
{
    cuvier_check(clFinish(cuvier_opened.queue), kernel, "clFinish", "the kernel");
}

/* The buffer with the `count` cells from `host[first]` on, which are mapped, and how many bytes into it they begin; one with
 * nothing in it where there are none. */
CUVIER_FUNCTION cl_mem cuvier_cells(const cuvier_launch *launch, const void *host, long first, long count, size_t size, long *skip)
{
    static cl_mem nothing;
    char *begin = (char *)host + first * (long)size;
    *skip = 0;
    if (count <= 0) {
        if (nothing == NULL)
            nothing = cuvier_buffer_of(launch->name, "no cells", 64);
        return nothing;
    }
    const cuvier_unit *unit = cuvier_unit_around(begin, begin + count * (long)size);
    *skip = (long)(unit->buffer.at + cuvier_place(unit, begin));
    return cuvier_memory(unit->buffer);
}

/* Where the arena has the byte `at`, as kernels that read such places see it. */
static inline unsigned long cuvier_address(const cuvier_unit *unit, const char *at)
{
    return (unsigned long)(unit->buffer.at + cuvier_place(unit, at));
}

CUVIER_FUNCTION void *cuvier_host_alloc(const cuvier_launch *launch, const char *what, long count, size_t size)
{
    void *memory = malloc((size_t)count * size);
    cuvier_check(memory ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY, launch->name, "malloc", what);
    return memory;
}

/* Values that work-items hand to the host, or it to them: `count` cells of a buffer. */
CUVIER_FUNCTION void cuvier_hand_in(const cuvier_launch *launch, const char *what, cl_mem buffer, const void *host, long count, size_t size)
{
    const cuvier_buffer to = {buffer, 0, 0};
    cuvier_device_write(launch->name, what, to, 0, (const char *)host, (size_t)count * size);
    cuvier_device_settle(launch->name);
    cuvier_count_in(what, (size_t)count * size);
}

CUVIER_FUNCTION void cuvier_hand_out(const cuvier_launch *launch, const char *what, cl_mem buffer, void *host, long count, size_t size)
{
    const cuvier_buffer from = {buffer, 0, 0};
    cuvier_wait(launch->name);
    cuvier_device_read(launch->name, what, from, 0, (char *)host, (size_t)count * size);
    cuvier_count_out(what, (size_t)count * size);
}

#if CUVIER_DEVICES != 1 || defined CUVIER_DEFAULT_POLICY
CUVIER_FUNCTION void cuvier_device_results(const char *kernel, const char *what, cl_mem buffer, void *host, long count, size_t size)
{
    const cuvier_launch launch = {kernel, NULL, 0};
    cuvier_hand_out(&launch, what, buffer, host, count, size);
    cuvier_free(&launch, buffer);
}
#endif

CUVIER_FUNCTION void cuvier_argument(cuvier_launch *launch, const char *what, size_t size, const void *value)
{
    cuvier_check(clSetKernelArg(launch->kernel, launch->arguments++, size, value), launch->name, "clSetKernelArg", what);
}

/* Waits for a launch; how many seconds it ran. */
CUVIER_FUNCTION double cuvier_seconds_between(const char *kernel, cl_event ran)
{
    cl_ulong begin = 0, end = 0;
    cuvier_check(clWaitForEvents(1, &ran), kernel, "clWaitForEvents", "times");
    cuvier_check(clGetEventProfilingInfo(ran, CL_PROFILING_COMMAND_START, sizeof begin, &begin, NULL), kernel, "clGetEventProfilingInfo", "times");
    cuvier_check(clGetEventProfilingInfo(ran, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL), kernel, "clGetEventProfilingInfo", "times");
    cuvier_check(clReleaseEvent(ran), kernel, "clReleaseEvent", "times");
    return (double)(end - begin) / 1e9;
}

static __thread cl_event cuvier_timed_launch;

/* How many seconds the last launch ran of which the time was kept. */
CUVIER_FUNCTION double cuvier_device_took(const char *kernel)
{
    const double seconds = cuvier_timed_launch ? cuvier_seconds_between(kernel, cuvier_timed_launch) : 0;
    cuvier_timed_launch = NULL;
    return seconds;
}

CUVIER_FUNCTION void cuvier_run(cuvier_launch *launch, const size_t groups[3], const size_t local[3])
{
    const size_t global[3] = {groups[0] * local[0], groups[1] * local[1], groups[2] * local[2]};
    cl_event ran = NULL;
    cuvier_check(clEnqueueNDRangeKernel(cuvier_opened.queue, launch->kernel, 3, NULL, global, local, 0, NULL, cuvier_timing() || cuvier_keeps_time ? &ran : NULL),
                 launch->name, "clEnqueueNDRangeKernel", "the kernel");
    cuvier_check(clFlush(cuvier_opened.queue), launch->name, "clFlush", "the kernel");
    if (cuvier_keeps_time) {
        if (cuvier_timed_launch)
            cuvier_check(clReleaseEvent(cuvier_timed_launch), launch->name, "clReleaseEvent", "times");
        cuvier_timed_launch = ran;
    } else if (ran) {
        cuvier_add_time(launch->name, cuvier_seconds_between(launch->name, ran));
    }
    cuvier_launched(launch->name);
}

CUVIER_FUNCTION void cuvier_end(cuvier_launch *launch)
{
    cuvier_check(clReleaseKernel(launch->kernel), launch->name, "clReleaseKernel", "the kernel");
}

#endif

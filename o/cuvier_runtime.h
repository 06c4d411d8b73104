/* What the launch functions share: every call of OpenCL is checked; an error is reported on stderr with the
 * kernel and the array that it concerns, and ends the program with status 1.
 *
 * CUVIER_OPENCL_PLATFORM and CUVIER_OPENCL_DEVICE choose the device by number (default: 0 and 0).  Where host and device
 * share one memory, arrays stay where they are; CUVIER_OPENCL_COPY=1 copies them all the same. */
#ifndef CUVIER_RUNTIME_H
#define CUVIER_RUNTIME_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

/* The device and the compiled program, made at the first launch and kept until the program ends. */
typedef struct {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_bool is_unified; /* the memory, with the host's */
} cuvier_session;

/* One launch of one kernel. */
enum { CUVIER_SHARED = 32 };
typedef struct {
    const char *name;
    cuvier_session *session;
    cl_kernel kernel;
    cl_uint arguments;
    int shared; /* the arrays that stay where they are: from `begin` to before `end` */
    const char *begin[CUVIER_SHARED], *end[CUVIER_SHARED];
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

/* Work-groups of `size` items for `trips` iterations, `most` at most. */
static inline size_t cuvier_groups(long trips, size_t size, long most)
{
    return (size_t)cuvier_min((trips - 1) / (long)size + 1, most);
}

static inline cl_uint cuvier_number(const char *variable)
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

static inline cl_device_id cuvier_device(const char *kernel)
{
    enum { MOST = 256 };
    cl_platform_id platforms[MOST];
    cl_device_id devices[MOST];
    cl_uint count = 0;
    const cl_uint platform = cuvier_number("CUVIER_OPENCL_PLATFORM"), device = cuvier_number("CUVIER_OPENCL_DEVICE");
    cuvier_check(clGetPlatformIDs(MOST, platforms, &count), kernel, "clGetPlatformIDs", "is an OpenCL driver installed?");
    if (platform >= count) {
        fprintf(stderr, "cuvier: CUVIER_OPENCL_PLATFORM=%u: there are %u platforms\n", platform, count);
        exit(1);
    }
    cuvier_check(clGetDeviceIDs(platforms[platform], CL_DEVICE_TYPE_ALL, MOST, devices, &count), kernel, "clGetDeviceIDs", "all");
    if (device >= count) {
        fprintf(stderr, "cuvier: CUVIER_OPENCL_DEVICE=%u: there are %u devices\n", device, count);
        exit(1);
    }
    return devices[device];
}

static inline void cuvier_build(cuvier_session *session, const char *kernel)
{
    /* as exact as the host, where the device can be */
    cl_device_fp_config single = 0;
    cuvier_check(clGetDeviceInfo(session->device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof single, &single, NULL), kernel,
                 "clGetDeviceInfo", "CL_DEVICE_SINGLE_FP_CONFIG");
    const char *options = single & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT
                              ? "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt"
                              : "-cl-std=CL1.2";
    const cl_int status = clBuildProgram(session->program, 1, &session->device, options, NULL, NULL);
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

static inline cuvier_session *cuvier_open(const char *source, const char *kernel)
{
    static cuvier_session session;
    cl_int status;
    if (session.context)
        return &session;
    session.device = cuvier_device(kernel);
    session.context = clCreateContext(NULL, 1, &session.device, NULL, NULL, &status);
    cuvier_check(status, kernel, "clCreateContext", "the device");
    session.queue = clCreateCommandQueue(session.context, session.device, 0, &status);
    cuvier_check(status, kernel, "clCreateCommandQueue", "the device");
    session.program = clCreateProgramWithSource(session.context, 1, &source, NULL, &status);
    cuvier_check(status, kernel, "clCreateProgramWithSource", "the kernels");
    cuvier_build(&session, kernel);
    cuvier_check(clGetDeviceInfo(session.device, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof session.is_unified,
                                 &session.is_unified, NULL),
                 kernel, "clGetDeviceInfo", "CL_DEVICE_HOST_UNIFIED_MEMORY");
    if (cuvier_number("CUVIER_OPENCL_COPY"))
        session.is_unified = CL_FALSE;
    return &session;
}

static inline cuvier_launch cuvier_begin(const char *source, const char *name, const char *device_name)
{
    cl_int status;
    cuvier_launch launch = {name, cuvier_open(source, name), NULL, 0, 0, {NULL}, {NULL}};
    launch.kernel = clCreateKernel(launch.session->program, device_name, &status);
    cuvier_check(status, name, "clCreateKernel", device_name);
    return launch;
}

static inline cl_mem cuvier_alloc(cuvier_launch *launch, const char *what, long count, size_t size)
{
    cl_int status;
    const size_t bytes = (size_t)cuvier_max(count, 1) * size;
    cl_mem buffer = clCreateBuffer(launch->session->context, CL_MEM_READ_WRITE, bytes, NULL, &status);
    cuvier_check(status, launch->name, "clCreateBuffer", what);
    return buffer;
}

/* The buffer for the `count` cells from `host[first]` on: these cells themselves where host and device share their
 * memory and no other array of the launch has any of them. */
static inline cl_mem cuvier_array(cuvier_launch *launch, const char *what, const void *host, long first, long count, size_t size)
{
    cl_int status;
    char *begin = (char *)host + first * (long)size, *end = begin + count * (long)size;
    int stays = launch->session->is_unified && launch->shared < CUVIER_SHARED && count > 0;
    for (int k = 0; k < launch->shared; k++)
        stays = stays && (end <= launch->begin[k] || launch->end[k] <= begin);
    if (!stays)
        return cuvier_alloc(launch, what, count, size);
    launch->begin[launch->shared] = begin;
    launch->end[launch->shared++] = end;
    cl_mem buffer = clCreateBuffer(launch->session->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, (size_t)count * size,
                                   begin, &status);
    cuvier_check(status, launch->name, "clCreateBuffer", what);
    return buffer;
}

static inline int cuvier_stays(cuvier_launch *launch, const char *what, cl_mem buffer)
{
    cl_mem_flags flags = 0;
    cuvier_check(clGetMemObjectInfo(buffer, CL_MEM_FLAGS, sizeof flags, &flags, NULL), launch->name, "clGetMemObjectInfo",
                 what);
    return (flags & CL_MEM_USE_HOST_PTR) != 0;
}

static inline void cuvier_free(cuvier_launch *launch, cl_mem buffer)
{
    cuvier_check(clReleaseMemObject(buffer), launch->name, "clReleaseMemObject", "a buffer");
}

static inline void *cuvier_host_alloc(cuvier_launch *launch, const char *what, long count, size_t size)
{
    void *memory = malloc((size_t)count * size);
    cuvier_check(memory ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY, launch->name, "malloc", what);
    return memory;
}

/* The `count` cells from `host[first]` on become the buffer's first ones. */
static inline void cuvier_copy_in(cuvier_launch *launch, const char *what, cl_mem buffer, const void *host, long first,
                                  long count, size_t size)
{
    if (count <= 0 || cuvier_stays(launch, what, buffer))
        return;
    const char *from = (const char *)host + first * (long)size;
    cuvier_check(clEnqueueWriteBuffer(launch->session->queue, buffer, CL_TRUE, 0, (size_t)count * size, from, 0, NULL, NULL),
                 launch->name, "clEnqueueWriteBuffer", what);
}

/* The `count` cells of the buffer from `place` on become those from `host[first]` on. */
static inline void cuvier_copy_out(cuvier_launch *launch, const char *what, cl_mem buffer, long place, void *host,
                                   long first, long count, size_t size)
{
    if (count <= 0)
        return;
    if (cuvier_stays(launch, what, buffer)) {
        cl_int status;
        void *cells = clEnqueueMapBuffer(launch->session->queue, buffer, CL_TRUE, CL_MAP_READ, (size_t)place * size,
                                         (size_t)count * size, 0, NULL, NULL, &status);
        cuvier_check(status, launch->name, "clEnqueueMapBuffer", what);
        cuvier_check(clEnqueueUnmapMemObject(launch->session->queue, buffer, cells, 0, NULL, NULL), launch->name,
                     "clEnqueueUnmapMemObject", what);
        cuvier_check(clFinish(launch->session->queue), launch->name, "clFinish", what);
        return;
    }
    char *to = (char *)host + first * (long)size;
    cuvier_check(clEnqueueReadBuffer(launch->session->queue, buffer, CL_TRUE, (size_t)place * size, (size_t)count * size,
                                     to, 0, NULL, NULL),
                 launch->name, "clEnqueueReadBuffer", what);
}

static inline void cuvier_argument(cuvier_launch *launch, const char *what, size_t size, const void *value)
{
    cuvier_check(clSetKernelArg(launch->kernel, launch->arguments++, size, value), launch->name, "clSetKernelArg", what);
}

static inline void cuvier_run(cuvier_launch *launch, const size_t groups[3], const size_t local[3])
{
    const size_t global[3] = {groups[0] * local[0], groups[1] * local[1], groups[2] * local[2]};
    cuvier_check(clEnqueueNDRangeKernel(launch->session->queue, launch->kernel, 3, NULL, global, local, 0, NULL, NULL),
                 launch->name, "clEnqueueNDRangeKernel", "the kernel");
    cuvier_check(clFinish(launch->session->queue), launch->name, "clFinish", "the kernel");
}

static inline void cuvier_end(cuvier_launch *launch)
{
    cuvier_check(clReleaseKernel(launch->kernel), launch->name, "clReleaseKernel", "the kernel");
}

#endif

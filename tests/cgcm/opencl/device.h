/* How the driver gets at an OpenCL device: by a kernel that knows the arena and offsets. */
#include "cgcm_opencl.h"

static cl_context context;
static cl_command_queue queue;
static cl_program program;
static cl_kernel store;

static const char *const text = "__kernel void store(__global char *arena, ulong at, ulong value)"
                                "{ *(__global ulong *)(arena + at) = value; }";

static void must(cl_int status)
{
    if (status != CL_SUCCESS)
        abort();
}

static void device_use(void)
{
    cl_platform_id platform;
    cl_device_id id;
    cl_int status;
    must(clGetPlatformIDs(1, &platform, NULL));
    must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &id, NULL));
    context = clCreateContext(NULL, 1, &id, NULL, NULL, &status);
    must(status);
    queue = clCreateCommandQueue(context, id, 0, &status);
    must(status);
    program = clCreateProgramWithSource(context, 1, (const char **)&text, NULL, &status);
    must(status);
    must(clBuildProgram(program, 1, &id, "", NULL, NULL));
    store = clCreateKernel(program, "store", &status);
    must(status);
    cgcm_use_opencl(context, id, queue);
}

static void device_write(cgcm_address at, uint64_t value)
{
    const size_t one = 1;
    cl_mem arena = cgcm_opencl_arena();
    must(clSetKernelArg(store, 0, sizeof arena, &arena));
    must(clSetKernelArg(store, 1, sizeof at, &at));
    must(clSetKernelArg(store, 2, sizeof value, &value));
    must(clEnqueueNDRangeKernel(queue, store, 1, NULL, &one, NULL, 0, NULL, NULL));
}

static uint64_t device_read(cgcm_address at)
{
    uint64_t value = 0;
    must(clEnqueueReadBuffer(queue, cgcm_opencl_arena(), CL_TRUE, at, sizeof value, &value, 0, NULL, NULL));
    return value;
}

static void device_end(void)
{
    clReleaseKernel(store);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
}

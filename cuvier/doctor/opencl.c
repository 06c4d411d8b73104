/* The OpenCL devices, one a line: `device PLATFORM.DEVICE NAME (NAME OF THE PLATFORM)`.  A line `chosen
   PLATFORM.DEVICE` is the one that generated programs take (CUVIER_OPENCL_PLATFORM, CUVIER_OPENCL_DEVICE), and a line
   `ran` says that a kernel was built and run there, with the right result. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 16, ITEMS = 64 };

static const char *source = "__kernel void square(__global int *a) { int i = (int)get_global_id(0); a[i] = i * i; }";

static unsigned number(const char *variable)
{
  const char *text = getenv(variable);
  return text ? (unsigned)strtoul(text, NULL, 10) : 0;
}

static cl_uint devices_of(cl_platform_id platform, cl_device_id *devices)
{
  cl_uint count = 0;
  cl_int status = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MOST, devices, &count);
  return status != CL_SUCCESS ? 0 : count < MOST ? count : MOST;
}

static void print(cl_uint p, cl_platform_id platform, cl_uint d, cl_device_id device)
{
  char name[256] = "?", owner[256] = "?";
  clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
  clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof owner, owner, NULL);
  printf("device %u.%u %s (%s)\n", p, d, name, owner);
}

/* Builds a kernel for a device, runs it, and looks at the result. */
static int runs(cl_device_id device)
{
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  cl_command_queue queue = context ? clCreateCommandQueue(context, device, 0, NULL) : NULL;
  cl_program program = queue ? clCreateProgramWithSource(context, 1, &source, NULL, NULL) : NULL;
  if (!program || clBuildProgram(program, 1, &device, "", NULL, NULL) != CL_SUCCESS)
    return 0;
  size_t items = ITEMS;
  cl_int result[ITEMS] = {0};
  cl_kernel kernel = clCreateKernel(program, "square", NULL);
  cl_mem array = kernel ? clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof result, NULL, NULL) : NULL;
  if (!array || clSetKernelArg(kernel, 0, sizeof array, &array) != CL_SUCCESS
      || clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL) != CL_SUCCESS
      || clEnqueueReadBuffer(queue, array, CL_TRUE, 0, sizeof result, result, 0, NULL, NULL) != CL_SUCCESS)
    return 0;
  for (int i = 0; i < ITEMS; i++)
    if (result[i] != i * i)
      return 0;
  return 1;
}

int main(void)
{
  cl_platform_id platforms[MOST];
  cl_device_id devices[MOST], chosen = NULL;
  cl_uint count = 0, platform = number("CUVIER_OPENCL_PLATFORM"), device = number("CUVIER_OPENCL_DEVICE");
  if (clGetPlatformIDs(MOST, platforms, &count) != CL_SUCCESS)
    return 0; /* a loader without platforms says so */
  for (cl_uint p = 0; p < count && p < MOST; p++) {
    cl_uint last = devices_of(platforms[p], devices);
    for (cl_uint d = 0; d < last; d++) {
      print(p, platforms[p], d, devices[d]);
      if (p == platform && d == device)
        chosen = devices[d];
    }
  }
  if (chosen) {
    printf("chosen %u.%u\n", platform, device);
    fflush(stdout); /* a driver may crash below */
    if (runs(chosen))
      puts("ran");
  }
  return 0;
}

/* An OpenCL device as generated programs choose it (CUVIER_OPENCL_PLATFORM, CUVIER_OPENCL_DEVICE): its limits, and
   what it reaches.  Prints a line `key value` each; status 1: there is no device. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WIDTH = 64, ITEMS = 1 << 16, STEPS = 1024, CHAINS = 6, LANES = 8, ROUNDS = 5, MOST = 16, TIMES = 200, LONG = 1 << 26 };

static const char *source =
  "#if TYPE == 2\n"
  "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
  "#define REAL double\n"
  "#define WIDE double8\n"
  "#else\n"
  "#define REAL float\n"
  "#define WIDE float8\n"
  "#endif\n"
  "__kernel void triad(__global float *a, __global const float *b, __global const float *c, float s)\n"
  "{ size_t i = get_global_id(0); a[i] = b[i] + s * c[i]; }\n"
  "#define V(k) ((WIDE)((REAL)(seed + k)))\n"
  "__kernel void sums(__global REAL *a, float seed)\n"
  "{\n"
  "  WIDE f = V(0) * (REAL)0.999f, t = (WIDE)((REAL)0.001f), s0 = V(0), s1 = V(1), s2 = V(2), s3 = V(3), s4 = V(4), s5 = V(5);\n"
  "  for (int k = 0; k < STEPS; k++) {\n"
  "    s0 = fma(s0, f, t); s1 = fma(s1, f, t); s2 = fma(s2, f, t);\n"
  "    s3 = fma(s3, f, t); s4 = fma(s4, f, t); s5 = fma(s5, f, t);\n"
  "  }\n"
  "  s0 += s1 + s2 + s3 + s4 + s5;\n"
  "  a[get_global_id(0)] = s0.s0 + s0.s1 + s0.s2 + s0.s3 + s0.s4 + s0.s5 + s0.s6 + s0.s7;\n"
  "}\n";

static double now(void)
{
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static unsigned number(const char *variable)
{
  const char *text = getenv(variable);
  return text ? (unsigned)strtoul(text, NULL, 10) : 0;
}

static cl_device_id chosen(void)
{
  cl_platform_id platforms[MOST];
  cl_device_id devices[MOST];
  cl_uint count = 0, platform = number("CUVIER_OPENCL_PLATFORM"), device = number("CUVIER_OPENCL_DEVICE");
  if (clGetPlatformIDs(MOST, platforms, &count) != CL_SUCCESS || platform >= count || platform >= MOST)
    return NULL;
  if (clGetDeviceIDs(platforms[platform], CL_DEVICE_TYPE_ALL, MOST, devices, &count) != CL_SUCCESS)
    return NULL;
  return device < count && device < MOST ? devices[device] : NULL;
}

static unsigned long whole(cl_device_id device, cl_device_info what)
{
  cl_ulong value = 0; /* smaller answers fill its lower bytes */
  return clGetDeviceInfo(device, what, sizeof value, &value, NULL) == CL_SUCCESS ? (unsigned long)value : 0;
}

/* The best of some rounds of a kernel over so many items, in seconds; 0: it did not run. */
static double best(cl_command_queue queue, cl_kernel kernel, size_t items)
{
  size_t width = WIDTH;
  double found = 0;
  for (int round = 0; round <= ROUNDS; round++) {
    double start = now();
    if (clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &width, 0, NULL, NULL) != CL_SUCCESS
        || clFinish(queue) != CL_SUCCESS)
      return 0;
    double time = now() - start;
    if (round > 0 && (found == 0 || time < found)) /* the first one warms up */
      found = time;
  }
  return found;
}

static cl_program built(cl_context context, cl_device_id device, int type)
{
  char flags[64];
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
  snprintf(flags, sizeof flags, "-DTYPE=%d -DSTEPS=%d", type, STEPS);
  return program && clBuildProgram(program, 1, &device, flags, NULL, NULL) == CL_SUCCESS ? program : NULL;
}

static void print_bandwidth(cl_context context, cl_command_queue queue, cl_program program, unsigned long memory)
{
  size_t items = memory / 8 / 3 / sizeof(float) < 32000000 ? memory / 8 / 3 / sizeof(float) : 32000000;
  float scale = 0.5f, zero = 0;
  cl_kernel kernel = clCreateKernel(program, "triad", NULL);
  items = items / WIDTH * WIDTH;
  for (cl_uint k = 0; k < 3; k++) {
    cl_mem array = clCreateBuffer(context, CL_MEM_READ_WRITE, items * sizeof(float), NULL, NULL);
    if (!array || clEnqueueFillBuffer(queue, array, &zero, sizeof zero, 0, items * sizeof(float), 0, NULL, NULL))
      return;
    clSetKernelArg(kernel, k, sizeof array, &array);
  }
  clSetKernelArg(kernel, 3, sizeof scale, &scale);
  double time = best(queue, kernel, items);
  if (time > 0)
    printf("bandwidth %.0f\n", 3.0 * (double)items * sizeof(float) / time);
}

static void print_peak(cl_context context, cl_command_queue queue, cl_program program, const char *key)
{
  float seed = 1;
  cl_kernel kernel = clCreateKernel(program, "sums", NULL);
  cl_mem array = clCreateBuffer(context, CL_MEM_READ_WRITE, ITEMS * sizeof(double), NULL, NULL);
  if (!kernel || !array)
    return;
  clSetKernelArg(kernel, 0, sizeof array, &array);
  clSetKernelArg(kernel, 1, sizeof seed, &seed);
  double time = best(queue, kernel, ITEMS);
  if (time > 0)
    printf("%s %.0f\n", key, 2.0 * ITEMS * STEPS * CHAINS * LANES / time);
}

/* The seconds of one out of so many copies, or (no bytes) launches, the best of some rounds; 0: they did not run. */
static double each(cl_command_queue queue, cl_kernel kernel, cl_mem buffer, char *from, size_t bytes, int times)
{
  size_t width = WIDTH;
  double found = 0;
  for (int round = 0; round <= ROUNDS; round++) {
    double start = now();
    for (int k = 0; k < times; k++)
      if (CL_SUCCESS
          != (bytes ? clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, bytes, from, 0, NULL, NULL)
                    : clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &width, &width, 0, NULL, NULL)))
        return 0;
    if (clFinish(queue) != CL_SUCCESS)
      return 0;
    double time = (now() - start) / times;
    if (round > 0 && (found == 0 || time < found)) /* the first one warms up */
      found = time;
  }
  return found;
}

/* What a launch behind another one takes, a copy of eight bytes, and the rate of long copies. */
static void print_times(cl_context context, cl_command_queue queue, cl_program program)
{
  float scale = 0.5f;
  char *host = calloc(LONG, 1);
  cl_kernel kernel = clCreateKernel(program, "triad", NULL);
  cl_mem buffer = host ? clCreateBuffer(context, CL_MEM_READ_WRITE, LONG, NULL, NULL) : NULL;
  if (!kernel || !buffer)
    return;
  for (cl_uint k = 0; k < 3; k++)
    clSetKernelArg(kernel, k, sizeof buffer, &buffer);
  clSetKernelArg(kernel, 3, sizeof scale, &scale);
  double launch = each(queue, kernel, buffer, host, 0, TIMES);
  double latency = each(queue, kernel, buffer, host, 8, TIMES);
  double copy = each(queue, kernel, buffer, host, LONG, 1);
  if (launch > 0 && latency > 0 && copy > 0)
    printf("launch %.10f\nlatency %.10f\ncopying %.0f\n", launch, latency, LONG / copy);
}

/* What goes by before the first kernel of a program has run. */
static void print_opening(cl_command_queue queue, cl_program program, cl_context context, double begun)
{
  float scale = 0.5f;
  size_t width = WIDTH;
  cl_kernel kernel = clCreateKernel(program, "triad", NULL);
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, LONG, NULL, NULL);
  for (cl_uint k = 0; k < 3; k++)
    clSetKernelArg(kernel, k, sizeof buffer, &buffer);
  clSetKernelArg(kernel, 3, sizeof scale, &scale);
  if (clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &width, &width, 0, NULL, NULL) == CL_SUCCESS && clFinish(queue) == CL_SUCCESS)
    printf("opening %.10f\n", now() - begun);
  clReleaseMemObject(buffer);
}

int main(void)
{
  const double begun = now();
  cl_device_id device = chosen();
  char text[4096] = "";
  if (!device)
    return 1;
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  cl_command_queue queue = context ? clCreateCommandQueue(context, device, 0, NULL) : NULL;
  cl_program single = queue ? built(context, device, 1) : NULL;
  if (!single)
    return 1;
  clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof text, text, NULL);
  printf("name %s\n", text);
  print_opening(queue, single, context, begun);
  cl_kernel kernel = clCreateKernel(single, "triad", NULL);
  size_t warp = 1;
  clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof warp, &warp, NULL);
  unsigned long memory = whole(device, CL_DEVICE_GLOBAL_MEM_SIZE), most = whole(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  printf("kind %s\n", whole(device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU ? "cpu" : "gpu");
  printf("units %lu\n", whole(device, CL_DEVICE_MAX_COMPUTE_UNITS));
  printf("warp %lu\n", (unsigned long)warp);
  printf("threads_per_block %lu\n", whole(device, CL_DEVICE_MAX_WORK_GROUP_SIZE));
  printf("shared_per_block %lu\n", whole(device, CL_DEVICE_LOCAL_MEM_SIZE));
  printf("registers_per_block 0\n"); /* OpenCL does not tell */
  printf("memory %lu\n", memory);
  printf("clock %lu\n", 1000000 * whole(device, CL_DEVICE_MAX_CLOCK_FREQUENCY));
  print_bandwidth(context, queue, single, memory < 2 * most ? memory : 2 * most);
  print_peak(context, queue, single, "single");
  clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof text, text, NULL);
  cl_program both = strstr(text, "cl_khr_fp64") ? built(context, device, 2) : NULL;
  if (both)
    print_peak(context, queue, both, "double");
  else
    printf("double 0\n");
  print_times(context, queue, single);
  return 0;
}

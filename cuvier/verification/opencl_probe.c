/* Prints the name of the first OpenCL device, as a generated program would find it; status 1: there is none. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

int main(void)
{
    cl_platform_id platforms[16];
    cl_uint count = 0;
    if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS)
        return 1;
    for (cl_uint k = 0; k < count && k < 16; k++) {
        cl_device_id device;
        char name[256], platform[256];
        if (clGetDeviceIDs(platforms[k], CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS
            || clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL) != CL_SUCCESS
            || clGetPlatformInfo(platforms[k], CL_PLATFORM_NAME, sizeof platform, platform, NULL) != CL_SUCCESS)
            continue;
        printf("%s (%s)\n", name, platform);
        return 0;
    }
    return 1;
}

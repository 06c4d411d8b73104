/* Needs the headers of OpenCL, and not its library. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

int main(void)
{
  return CL_SUCCESS;
}

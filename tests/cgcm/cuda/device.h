/* How the driver gets at a CUDA device. */
#include <cuda_runtime.h>

static __global__ void store(uint64_t *at, uint64_t value)
{
    *at = value;
}

static void device_use(void)
{
    cgcm_use_cuda();
}

static void device_write(cgcm_address at, uint64_t value)
{
    store<<<1, 1>>>((uint64_t *)at, value);
}

static uint64_t device_read(cgcm_address at)
{
    uint64_t value = 0;
    if (cudaMemcpy(&value, (const void *)at, sizeof value, cudaMemcpyDeviceToHost) != cudaSuccess)
        abort();
    return value;
}

static void device_end(void)
{
}

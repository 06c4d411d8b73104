/* The CUDA device of CGCM: the one that is current.  A place is an address.  C and C++ (nvcc -x cu, g++ with the host shim). */
#include "cgcm.h"

#include <cuda_runtime.h>

static const char *cgcm_cuda_said(cudaError_t status)
{
    return status == cudaSuccess ? NULL : cudaGetErrorString(status);
}

static const char *cgcm_cuda_allocate(size_t bytes, cgcm_address *at)
{
    void *made = NULL;
    const cudaError_t status = cudaMalloc(&made, bytes);
    *at = (cgcm_address)(uintptr_t)made;
    if (status != cudaErrorMemoryAllocation)
        return cgcm_cuda_said(status);
    (void)cudaGetLastError(); /* it is reported by the caller */
    *at = 0;
    return NULL;
}

static const char *cgcm_cuda_release(cgcm_address at, size_t bytes)
{
    (void)bytes;
    return cgcm_cuda_said(cudaFree((void *)(uintptr_t)at));
}

static const char *cgcm_cuda_in(cgcm_address to, const void *from, size_t bytes)
{
    return cgcm_cuda_said(cudaMemcpy((void *)(uintptr_t)to, from, bytes, cudaMemcpyHostToDevice));
}

static const char *cgcm_cuda_out(void *to, cgcm_address from, size_t bytes)
{
    return cgcm_cuda_said(cudaMemcpy(to, (const void *)(uintptr_t)from, bytes, cudaMemcpyDeviceToHost));
}

static const char *cgcm_cuda_finish(void)
{
    return cgcm_cuda_said(cudaDeviceSynchronize());
}

void cgcm_use_cuda(void)
{
    static const cgcm_device device = {"CUDA", cgcm_cuda_allocate, cgcm_cuda_release, cgcm_cuda_in, cgcm_cuda_out, cgcm_cuda_finish};
    cgcm_use(&device);
}

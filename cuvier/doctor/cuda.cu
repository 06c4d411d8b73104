/* Runs a kernel on the first CUDA device and prints its name and architecture; status 1, and why: it does not. */
#include <cstdio>
#include <cuda_runtime.h>

static __global__ void answer(int *a)
{
    *a = 42;
}

static int failed(cudaError_t status)
{
    if (status != cudaSuccess)
        fprintf(stderr, "error: %s\n", cudaGetErrorString(status));
    return status != cudaSuccess;
}

int main()
{
    cudaDeviceProp device;
    int *memory, result = 0;
    if (failed(cudaGetDeviceProperties(&device, 0)) || failed(cudaMalloc(&memory, sizeof *memory)))
        return 1;
    answer<<<1, 1>>>(memory);
    if (failed(cudaGetLastError()) || failed(cudaMemcpy(&result, memory, sizeof result, cudaMemcpyDeviceToHost)))
        return 1;
    printf("%s, sm_%d%d\n", device.name, device.major, device.minor);
    return result != 42;
}

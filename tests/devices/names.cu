// Parameters that are called as what launches a kernel might call its own variables.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
__global__ void k(float *out, const float *part, int first, int count, float own)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += blockDim.x * gridDim.x)
        out[i] = part[i] * own + first;
}
__global__ void l(float *device, const float *grid, int block, int shared, int kernel, int before)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < shared) device[i] = grid[i] + block + kernel * before;
}
int main()
{
    int n = 1000;
    float *h = (float *)malloc(n * sizeof(float)), *a, *b;
    for (int i = 0; i < n; i++) h[i] = i;
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    cudaMemcpy(a, h, n * sizeof(float), cudaMemcpyHostToDevice);
    k<<<8, 32>>>(b, a, 3, n, 2.0f);
    l<<<8, 128>>>(a, b, 4, n, 2, 3);
    cudaMemcpy(h, a, n * sizeof(float), cudaMemcpyDeviceToHost);
    double s = 0;
    for (int i = 0; i < n; i++) s += h[i];
    printf("%g\n", s);
    return 0;
}

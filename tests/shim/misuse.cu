// One program for each mistake that the shim must notice; the mistake is named by the first argument.
#include <stdio.h>
#include <string.h>
#include <cuda_runtime.h>

__global__ void fill(int *out, int n, int offset) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i + offset] = i;
}

__global__ void copy(const double *in, double *out) { out[threadIdx.x] = in[threadIdx.x]; }

__global__ void diverge(int *out) {
    if (threadIdx.x < 16) {
        out[threadIdx.x] = 1;
        __syncthreads();
    } else {
        __syncthreads();
        out[threadIdx.x] = 2;
    }
}

__global__ void half_warp(int *out) {
    if (threadIdx.x < 16) out[threadIdx.x] = __shfl_sync(0xffffffffu, 1, 0);
    __syncthreads();
}

__global__ void leftovers(int *out) {
    __shared__ int once;
    if (blockIdx.x == 0) once = 42;
    out[blockIdx.x] = once;
}

__global__ void dynamic(int *out) {
    extern __shared__ int part[];
    part[threadIdx.x] = 7;
    out[threadIdx.x] = part[threadIdx.x];
}

static const char *outcome() { return cudaGetErrorName(cudaGetLastError()); }

int main(int argc, char **argv) {
    const char *mistake = argc > 1 ? argv[1] : "";
    int host[64] = {0}, *device;
    double numbers[4], *d_in, *d_out;
    cudaMalloc(&device, sizeof host);
    cudaMalloc(&d_in, sizeof numbers);
    cudaMalloc(&d_out, sizeof numbers);
    if (!strcmp(mistake, "over")) fill<<<1, 64>>>(device, 64, 1);
    if (!strcmp(mistake, "under")) fill<<<1, 64>>>(device, 64, -2);
    if (!strcmp(mistake, "uninitialised")) {
        copy<<<1, 4>>>(d_in, d_out);
        cudaMemcpy(numbers, d_out, sizeof numbers, cudaMemcpyDeviceToHost);
        printf("%d\n", numbers[0] != numbers[0]);
    }
    if (!strcmp(mistake, "divergence")) diverge<<<1, 32>>>(device);
    if (!strcmp(mistake, "half-warp")) half_warp<<<1, 32>>>(device);
    if (!strcmp(mistake, "leftovers")) {
        leftovers<<<2, 1>>>(device);
        cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
        printf("%d %d\n", host[0], host[1] == 42);
    }
    if (!strcmp(mistake, "dynamic")) dynamic<<<1, 32, 31 * sizeof(int)>>>(device);
    if (!strcmp(mistake, "big-block")) fill<<<1, 1025>>>(device, 64, 0);
    if (!strcmp(mistake, "no-block")) fill<<<0, 64>>>(device, 64, 0);
    if (!strcmp(mistake, "tall-grid")) fill<<<dim3(1, 65536), 1>>>(device, 64, 0);
    if (!strcmp(mistake, "much-shared")) dynamic<<<1, 32, 1 << 20>>>(device);
    if (!strcmp(mistake, "host-kernel")) fill<<<1, 64>>>(host, 64, 0);
    if (!strcmp(mistake, "host-copy")) cudaMemcpy(host, numbers, 8, cudaMemcpyHostToDevice);
    if (!strcmp(mistake, "device-copy")) cudaMemcpy(device, d_in, 8, cudaMemcpyHostToDevice);
    if (!strcmp(mistake, "long-copy")) cudaMemcpy(device, host, sizeof host + 4, cudaMemcpyHostToDevice);
    if (!strcmp(mistake, "long-set")) cudaMemset(device + 1, 0, sizeof host);
    if (!strcmp(mistake, "free-host")) cudaFree(host);
    if (!strcmp(mistake, "free-twice")) {
        cudaFree(device);
        cudaFree(device);
        device = NULL;
    }
    if (!strcmp(mistake, "too-large")) cudaMalloc(&d_in, (size_t)1 << 50);
    if (!strcmp(mistake, "host-read")) printf("%d\n", device[3]);
    printf("%s\n", outcome());
    cudaFree(device);
    return 0;
}

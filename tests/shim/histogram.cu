// Atomics on shared and device memory.
#include <stdio.h>
#include <cuda_runtime.h>

__device__ unsigned visits;

__global__ void histogram(const unsigned char *data, int n, int *bins, double *sum, int *range,
                          unsigned long long *bits) {
    __shared__ int mine[16];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < 16) mine[threadIdx.x] = 0;
    __syncthreads();
    if (i < n) {
        atomicAdd(&mine[data[i] % 16], 1);
        atomicAdd(sum, 0.5 * data[i]);
        atomicMin(&range[0], (int)data[i]);
        atomicMax(&range[1], (int)data[i]);
        atomicOr(bits, 1ull << (data[i] % 64));
        atomicInc(&visits, 99u);
    }
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

int main() {
    const int n = 3000;
    static unsigned char data[n];
    for (int i = 0; i < n; i++) data[i] = (unsigned char)(i * 37 % 251 + 2);
    unsigned char *d_data;
    int bins[16] = {0}, range[2] = {1 << 30, -1}, *d_bins, *d_range;
    double sum = 0.0, *d_sum;
    unsigned long long bits = 0, *d_bits;
    unsigned seen = 0;
    cudaMalloc(&d_data, n);
    cudaMalloc(&d_bins, sizeof bins);
    cudaMalloc(&d_range, sizeof range);
    cudaMalloc(&d_sum, sizeof sum);
    cudaMalloc(&d_bits, sizeof bits);
    cudaMemcpy(d_data, data, n, cudaMemcpyHostToDevice);
    cudaMemcpy(d_bins, bins, sizeof bins, cudaMemcpyHostToDevice);
    cudaMemcpy(d_range, range, sizeof range, cudaMemcpyHostToDevice);
    cudaMemset(d_sum, 0, sizeof sum);
    cudaMemset(d_bits, 0, sizeof bits);
    histogram<<<(n + 127) / 128, 128>>>(d_data, n, d_bins, d_sum, d_range, d_bits);
    cudaMemcpy(bins, d_bins, sizeof bins, cudaMemcpyDeviceToHost);
    cudaMemcpy(range, d_range, sizeof range, cudaMemcpyDeviceToHost);
    cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost);
    cudaMemcpy(&bits, d_bits, sizeof bits, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&seen, visits, sizeof seen);
    for (int i = 0; i < 16; i++) printf("%d ", bins[i]);
    printf("%.1f %d %d %llx %u %s\n", sum, range[0], range[1], bits, seen, cudaGetErrorName(cudaGetLastError()));
    cudaFree(d_data);
    cudaFree(d_bins);
    cudaFree(d_range);
    cudaFree(d_sum);
    cudaFree(d_bits);
    return 0;
}

// A two-level tree: dynamic shared memory, barriers in a loop, threads that leave early between the blocks.
#include <stdio.h>
#include <cuda_runtime.h>

__global__ void sum_blocks(const int *in, int *out, int n) {
    extern __shared__ int part[];
    __shared__ int total;
    unsigned t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    part[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0) total = part[0];
    int many = __syncthreads_count(i < n);
    if (t == blockDim.x - 1) out[blockIdx.x] = many > 0 ? total : -1;
}

__global__ void sum_all(int *parts, int n) {
    extern __shared__ int part[];
    int t = threadIdx.x;
    if (t >= n) return;  // the barriers below are for the other threads only
    part[t] = parts[t];
    __syncthreads();
    if (t == 0)
        for (int i = 1; i < n; i++) part[0] += part[i];
    __syncthreads();
    if (t == 1) parts[0] = part[0];
}

int main() {
    const int n = 5000, threads = 256, blocks = (n + threads - 1) / threads;
    static int in[n];
    int result = 0, *d_in, *d_out;
    for (int i = 0; i < n; i++) in[i] = i % 11;
    cudaMalloc(&d_in, sizeof in);
    cudaMalloc(&d_out, blocks * sizeof(int));
    cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
    sum_blocks<<<blocks, threads, threads * sizeof(int)>>>(d_in, d_out, n);
    sum_all<<<1, 32, 32 * sizeof(int)>>>(d_out, blocks);
    cudaMemcpy(&result, d_out, sizeof result, cudaMemcpyDeviceToHost);
    printf("%d %s\n", result, cudaGetErrorName(cudaGetLastError()));
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}

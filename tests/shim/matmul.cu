// A tiled matrix product through shared memory.
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define TILE 16
#ifndef N
#define N 64
#endif

template <int tile>
__global__ void multiply(const float *a, const float *b, float *c, int n) {
    __shared__ float left[tile][tile], right[tile][tile];
    const int column = blockIdx.x * tile + threadIdx.x, row = blockIdx.y * tile + threadIdx.y;
    float sum = 0.0f;
    for (int t = 0; t < n / tile; t++) {
        left[threadIdx.y][threadIdx.x] = a[row * n + t * tile + threadIdx.x];
        right[threadIdx.y][threadIdx.x] = b[(t * tile + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < tile; k++) sum += left[threadIdx.y][k] * right[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

int main() {
    const size_t bytes = N * N * sizeof(float);
    float *a = (float *)malloc(bytes), *b = (float *)malloc(bytes), *c = (float *)malloc(bytes);
    for (int i = 0; i < N * N; i++) {
        a[i] = (float)(i % 7 - 3);
        b[i] = (float)(i % 5 - 2);
    }
    float *d_a, *d_b, *d_c;
    cudaMalloc(&d_a, bytes);
    cudaMalloc(&d_b, bytes);
    cudaMalloc(&d_c, bytes);
    cudaMemcpy(d_a, a, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b, bytes, cudaMemcpyHostToDevice);
    multiply<TILE><<<dim3(N / TILE, N / TILE), dim3(TILE, TILE)>>>(d_a, d_b, d_c, N);
    cudaMemcpy(c, d_c, bytes, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j += 17) {
            float sum = 0.0f;
            for (int k = 0; k < N; k++) sum += a[i * N + k] * b[k * N + j];
            wrong += sum != c[i * N + j];
        }
    printf("%d wrong, %s\n", wrong, cudaGetErrorString(cudaGetLastError()));
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_c);
    free(a);
    free(b);
    free(c);
    return 0;
}

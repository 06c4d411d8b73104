#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#define TILE 16

__global__ void matmul(float *C, const float *A, const float *B, int n)
{
    __shared__ float a[TILE][TILE];
    __shared__ float b[TILE][TILE];
    int bx = blockIdx.x, by = blockIdx.y;
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = by * TILE + ty;
    int col = bx * TILE + tx;
    float sum = 0;
    for (int t = 0; t < n / TILE; t++) {
        a[ty][tx] = A[row * n + t * TILE + tx];
        b[ty][tx] = B[(t * TILE + ty) * n + col];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += a[ty][k] * b[k][tx];
        __syncthreads();
    }
    C[row * n + col] = sum;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 96;
    size_t bytes = (size_t)n * n * sizeof(float);
    float *h = (float *)malloc(bytes);
    float *A, *B, *C;
    cudaMalloc(&A, bytes);
    cudaMalloc(&B, bytes);
    cudaMalloc(&C, bytes);
    for (int i = 0; i < n * n; i++) h[i] = i % 7;
    cudaMemcpy(A, h, bytes, cudaMemcpyHostToDevice);
    for (int i = 0; i < n * n; i++) h[i] = i % 5 - 2;
    cudaMemcpy(B, h, bytes, cudaMemcpyHostToDevice);
    dim3 threads(TILE, TILE);
    dim3 blocks(n / TILE, n / TILE);
    matmul<<<blocks, threads>>>(C, A, B, n);
    cudaMemcpy(h, C, bytes, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i += 9) printf("%g\n", h[i * n + (i * 3) % n]);
    cudaFree(A); cudaFree(B); cudaFree(C); free(h);
    return 0;
}

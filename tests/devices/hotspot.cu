#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#define BLOCK 16
#define N 200

__global__ void hotspot(const float *temp, float *next, const float *power, int n, float k)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    float up = temp[(y > 0 ? y - 1 : y) * n + x], down = temp[(y < n - 1 ? y + 1 : y) * n + x];
    float left = temp[y * n + (x > 0 ? x - 1 : x)], right = temp[y * n + (x < n - 1 ? x + 1 : x)];
    next[y * n + x] = temp[y * n + x] + k * (up + down + left + right - 4.0f * temp[y * n + x]) + 0.05f * power[y * n + x];
}

int main(void)
{
    const size_t bytes = N * N * sizeof(float);
    float *h = (float *)malloc(bytes), *p = (float *)malloc(bytes);
    for (int i = 0; i < N * N; i++) {
        h[i] = 300 + i % 13;
        p[i] = 0.1f * (i % 7);
    }
    float *temp, *next, *power;
    cudaMalloc(&temp, bytes);
    cudaMalloc(&next, bytes);
    cudaMalloc((void **)&power, bytes);
    cudaMemcpy(temp, h, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(power, p, bytes, cudaMemcpyHostToDevice);
    dim3 block(BLOCK, BLOCK), grid((N + BLOCK - 1) / BLOCK, (N + BLOCK - 1) / BLOCK);
    for (int t = 0; t < 10; t++) {
        hotspot<<<grid, block>>>(temp, next, power, N, 0.2f);
        float *swap = temp;
        temp = next;
        next = swap;
    }
    cudaDeviceSynchronize();
    cudaMemcpy(h, temp, bytes, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N * N; i += 1777)
        printf("%.7g\n", h[i]);
    cudaFree(temp);
    cudaFree(next);
    cudaFree(power);
    free(h);
    free(p);
    return 0;
}

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#define N 256
#define SOFT 0.01f
struct body { float x, y, z, m; };

__device__ float inverse(float d) { return rsqrtf(d * d * d); }

__global__ void forces(const struct body *all, struct body *v, int n, float dt)
{
    int i = threadIdx.x + blockDim.x * blockIdx.x;
    if (i < n) {
        float fx = 0, fy = 0, fz = 0;
        for (int j = 0; j < n; j++) {
            float dx = all[j].x - all[i].x, dy = all[j].y - all[i].y, dz = all[j].z - all[i].z;
            float f = all[j].m * inverse(dx * dx + dy * dy + dz * dz + SOFT);
            fx += f * dx; fy += f * dy; fz += f * dz;
        }
        v[i].x += dt * fx; v[i].y += dt * fy; v[i].z += dt * fz;
    }
}

__global__ void drift(struct body *all, const struct body *v, int n, float dt)
{
    int i = threadIdx.x + blockDim.x * blockIdx.x;
    if (i < n) { all[i].x += dt * v[i].x; all[i].y += dt * v[i].y; all[i].z += dt * v[i].z; }
}

int main(void)
{
    struct body h[N], *all, *v;
    for (int i = 0; i < N; i++) { h[i].x = i % 10; h[i].y = i / 10; h[i].z = i % 3; h[i].m = 1 + i % 5; }
    if (cudaMalloc(&all, sizeof h) != cudaSuccess) return 1;
    cudaMalloc(&v, sizeof h);
    cudaMemcpy(all, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemset(v, 0, sizeof h);
    for (int t = 0; t < 5; t++) {
        forces<<<(N + 63) / 64, 64>>>(all, v, N, 0.01f);
        drift<<<(N + 63) / 64, 64>>>(all, v, N, 0.01f);
    }
    cudaMemcpy(h, all, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i += 17) printf("%.6g %.6g %.6g\n", h[i].x, h[i].y, h[i].z);
    cudaFree(all); cudaFree(v);
    return 0;
}

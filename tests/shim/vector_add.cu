// c[i] = a[i] + b[i], with the last block partly idle, a launch over several lines and checked calls.
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define CHECK(call)                                                        \
    do {                                                                   \
        cudaError_t error = (call);                                        \
        if (error != cudaSuccess) {                                        \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error)); \
            exit(1);                                                       \
        }                                                                  \
    } while (0)

__global__ void __launch_bounds__(128) vector_add(const double *__restrict__ a, const double *__restrict__ b, double *c,
                                                  int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    c[i] = a[i] + b[i];
}

int main() {
    const int n = 1000;
    double *a = (double *)malloc(n * sizeof(double)), *b = (double *)malloc(n * sizeof(double));
    for (int i = 0; i < n; i++) {
        a[i] = i;
        b[i] = 0.5 * i;
    }
    double *d_a, *d_b, *d_c;
    CHECK(cudaMalloc(&d_a, n * sizeof(double)));
    CHECK(cudaMalloc((void **)&d_b, n * sizeof(double)));
    CHECK(cudaMalloc(&d_c, n * sizeof(double)));
    CHECK(cudaMemcpy(d_a, a, n * sizeof(double), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_b, b, n * sizeof(double), cudaMemcpyHostToDevice));
    dim3 block(128);
    vector_add<<<dim3((n + block.x - 1) / block.x),  // as many blocks as cover n
                 block>>>(d_a, d_b,
                          d_c, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(a, d_c, n * sizeof(double), cudaMemcpyDeviceToHost));
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i];
    printf("%.1f\n", sum);
    CHECK(cudaFree(d_a));
    CHECK(cudaFree(d_b));
    CHECK(cudaFree(d_c));
    free(a);
    free(b);
    return 0;
}

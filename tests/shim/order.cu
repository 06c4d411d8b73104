// Races on purpose: which thread and which block wrote last, and how many blocks ran.
#include <stdio.h>
#include <cuda_runtime.h>

__global__ void last(int *out) {
    out[0] = threadIdx.x;
    out[1] = blockIdx.x + gridDim.x * blockIdx.y;
    if (threadIdx.x == 0) out[2] += 1;
}

int main() {
    int out[3] = {0}, *d_out;
    cudaMalloc(&d_out, sizeof out);
    cudaMemcpy(d_out, out, sizeof out, cudaMemcpyHostToDevice);
    last<<<dim3(2, 2), 32>>>(d_out);
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    printf("%d %d %d\n", out[0], out[1], out[2]);
    cudaFree(d_out);
    return 0;
}

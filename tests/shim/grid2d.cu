// A transposition on a two-dimensional grid; prints a checksum that depends on every position.
#include <stdio.h>
#include <cuda_runtime.h>

__constant__ int weight[2];

__global__ void transpose(const int *in, int *out, int rows, int columns) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < columns && y < rows) out[x * rows + y] = weight[0] * in[y * columns + x] + weight[1];
}

int main() {
    const int rows = 37, columns = 53, w[2] = {3, -1};
    static int in[rows * columns], out[rows * columns];
    for (int i = 0; i < rows * columns; i++) in[i] = i;
    int *d_in = 0, *d_out = 0;
    cudaMalloc(&d_in, sizeof in);
    cudaMalloc(&d_out, sizeof out);
    cudaMemset(d_out, 0, sizeof out);
    cudaMemcpyToSymbol(weight, w, sizeof w);
    cudaMemcpy2D(d_in, columns * sizeof(int), in, columns * sizeof(int), columns * sizeof(int), rows,
                 cudaMemcpyHostToDevice);
    dim3 block(16, 4), grid((columns + block.x - 1) / block.x, (rows + block.y - 1) / block.y);
    transpose<<<grid, block, 0, 0>>>(d_in, d_out, rows, columns);
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDefault);
    unsigned long long sum = 0;
    for (int i = 0; i < rows * columns; i++) sum = sum * 31 + (unsigned)out[i];
    printf("%llu %s\n", sum, cudaGetErrorName(cudaGetLastError()));
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}

// Kernels of many kinds: sums per block, constants, shared memory, a loop over the grid, atomic functions, two axes in turn.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

#define RADIUS 3
constexpr int THREADS = 64;
__constant__ float weights[2 * RADIUS + 1];

struct sample {
    float value;
    int where;
};

static __device__ __forceinline__ float square(float x)
{
    return x * x;
}

// each block leaves the sum of its cells
__global__ void block_sums(const float *__restrict__ in, float *__restrict__ out, int n)
{
    __shared__ float part[THREADS];
    unsigned int t = threadIdx.x;
    int i = blockIdx.x * THREADS + threadIdx.x;
    part[t] = i < n ? square(in[i]) : 0.0f;
    __syncthreads();
    for (int s = THREADS / 2; s > 0; s >>= 1) {
        if (t < s)
            part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}

__global__ void smooth(float *out, const float *in, int n)
{
    const int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= RADIUS && i < n - RADIUS) {
        float sum = 0;
        for (int k = -RADIUS; k <= RADIUS; ++k)
            sum += weights[k + RADIUS] * in[i + k];
        out[i] = sum;
    }
}

// the threads of the grid go on in steps of all of them: one device runs it
__global__ void scale(float *a, int n, float f)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        a[i] *= f;
}

__global__ void histogram(const float *a, int *bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&bins[(int)a[i] & 7], 1);
}

__global__ void transpose(float *out, const float *in, int rows, int columns)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < columns)
        out[c * rows + r] = in[r * columns + c];
}

__global__ void mark(sample *s, const float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    s[i].value = a[i] * (float)gridDim.x;
    s[i].where = (int)blockIdx.x;
}

#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(2); } } while (0)

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000, rows = 20, columns = n / rows;
    int blocks = (n + THREADS - 1) / THREADS;
    float h[2 * RADIUS + 1] = {1, 2, 3, 4, 3, 2, 1}, *host = (float *)malloc(n * sizeof(float)), *a, *b, *sums;
    int *bins, counts[8];
    sample *samples;
    for (int i = 0; i < n; i++)
        host[i] = (float)(i % 23);
    CHECK(cudaMalloc(&a, n * sizeof(float)));
    CHECK(cudaMalloc((void **)&b, n * sizeof(float)));
    CHECK(cudaMalloc(&sums, blocks * sizeof(float)));
    CHECK(cudaMalloc(&bins, 8 * sizeof(int)));
    CHECK(cudaMalloc(&samples, n * sizeof(sample)));
    CHECK(cudaMemcpyToSymbol(weights, h, sizeof h));
    CHECK(cudaMemcpy(a, host, n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(b, 0, n * sizeof(float)));
    CHECK(cudaMemset(bins, 0, sizeof counts));
    cudaEvent_t start, stop;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaEventRecord(start, 0);
    smooth<<<blocks, THREADS>>>(b, a, n);
    CHECK(cudaGetLastError());
    scale<<<4, 32>>>(b, n, 0.0625f);
    histogram<<<blocks, THREADS>>>(b, bins, n);
    dim3 block(8, 4), grid((columns + 7) / 8, (rows + 3) / 4);
    transpose<<<grid, block>>>(a, b, rows, columns);
    smooth<<<blocks, THREADS>>>(b, a, n);
    smooth<<<blocks, THREADS>>>(b + 100, b, 50); // the arrays overlap
    block_sums<<<blocks, THREADS, 0, 0>>>(b, sums, n);
    mark<<<blocks, THREADS>>>(samples, b, n);
    cudaEventRecord(stop, 0);
    cudaEventSynchronize(stop);
    float took;
    cudaEventElapsedTime(&took, start, stop);
    sample *got = (sample *)malloc(n * sizeof(sample));
    CHECK(cudaMemcpy(got, samples, n * sizeof(sample), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(counts, bins, sizeof counts, cudaMemcpyDeviceToHost));
    float *partial = (float *)malloc(blocks * sizeof(float)), total = 0;
    CHECK(cudaMemcpy(partial, sums, blocks * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < blocks; i++)
        total += partial[i];
    for (int i = 0; i < n; i += 37)
        printf("%g %d\n", got[i].value, got[i].where);
    for (int i = 0; i < 8; i++)
        printf("%d ", counts[i]);
    printf("%g\n", total);
    cudaFree(a); cudaFree(b); cudaFree(sums); cudaFree(bins); cudaFree(samples);
    cudaEventDestroy(start); cudaEventDestroy(stop);
    free(host); free(got); free(partial);
    return 0;
}

// The rest of the interface: streams, events, managed and pinned memory, properties, pitched copies, min and max.
#include <stdio.h>
#include <string.h>
#include <cuda_runtime.h>

#define EXPECT(condition)                                   \
    do {                                                    \
        if (!(condition)) {                                 \
            printf("line %d: %s\n", __LINE__, #condition); \
            return 1;                                       \
        }                                                   \
    } while (0)

template <class T>
__global__ void scale(T *data, T factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = max(min(data[i] * factor, (T)10), (T)-10);
}

__global__ void flags(int *out, unsigned *lock) {
    int t = threadIdx.x;
    out[3 * t] = __syncthreads_and(t < 40);
    out[3 * t + 1] = __syncthreads_or(t == 40);
    if (atomicCAS(lock, 0u, t + 1u) == 0u) out[3 * t + 2] = __popc(0xf0u) + __clz(1) + __ffs(8);
    else out[3 * t + 2] = __float_as_int(1.0f) == 0x3f800000;
}

int main() {
    cudaDeviceProp properties;
    int count = 0, device = -1, grid = 0, block = 0;
    EXPECT(cudaGetDeviceCount(&count) == cudaSuccess && count >= 1);
    EXPECT(cudaSetDevice(0) == cudaSuccess && cudaGetDevice(&device) == cudaSuccess && device == 0);
    EXPECT(cudaSetDevice(count) == cudaErrorInvalidDevice && cudaGetLastError() == cudaErrorInvalidDevice);
    EXPECT(cudaPeekAtLastError() == cudaSuccess);
    EXPECT(cudaGetDeviceProperties(&properties, 0) == cudaSuccess && properties.warpSize == 32);
    EXPECT(properties.maxThreadsPerBlock == 1024 && properties.maxGridSize[1] == 65535);
    EXPECT(cudaOccupancyMaxPotentialBlockSize(&grid, &block, scale<float>) == cudaSuccess && block >= 32);

    cudaStream_t stream;
    cudaEvent_t start, end;
    float milliseconds = -1.0f;
    EXPECT(cudaStreamCreate(&stream) == cudaSuccess);
    EXPECT(cudaEventCreate(&start) == cudaSuccess && cudaEventCreate(&end) == cudaSuccess);
    EXPECT(cudaEventElapsedTime(&milliseconds, start, end) == cudaErrorInvalidResourceHandle);
    cudaGetLastError();

    float *managed, *pinned, *d;
    EXPECT(cudaMallocManaged(&managed, 8 * sizeof(float)) == cudaSuccess);
    EXPECT(cudaMallocHost(&pinned, 8 * sizeof(float)) == cudaSuccess);
    EXPECT(cudaMalloc(&d, 8 * sizeof(float)) == cudaSuccess);
    for (int i = 0; i < 8; i++) managed[i] = pinned[i] = (float)i;
    EXPECT(cudaEventRecord(start, stream) == cudaSuccess);
    EXPECT(cudaMemcpyAsync(d, pinned, 8 * sizeof(float), cudaMemcpyHostToDevice, stream) == cudaSuccess);
    scale<<<1, 32, 0, stream>>>(managed, 2.0f, 8);
    scale<<<1, 32, 0, stream>>>(d, -2.0f, 8);
    EXPECT(cudaMemcpyAsync(pinned, d, 8 * sizeof(float), cudaMemcpyDeviceToHost, stream) == cudaSuccess);
    EXPECT(cudaEventRecord(end, stream) == cudaSuccess && cudaEventSynchronize(end) == cudaSuccess);
    EXPECT(cudaEventElapsedTime(&milliseconds, start, end) == cudaSuccess && milliseconds >= 0.0f);
    EXPECT(cudaStreamSynchronize(stream) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess);
    EXPECT(managed[3] == 6.0f && managed[7] == 10.0f && pinned[3] == -6.0f && pinned[7] == -10.0f);

    int rows[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}}, back[3][2], *pitched;
    size_t pitch;
    EXPECT(cudaMallocPitch(&pitched, &pitch, sizeof rows[0], 3) == cudaSuccess && pitch >= sizeof rows[0]);
    EXPECT(cudaMemcpy2D(pitched, pitch, rows, sizeof rows[0], sizeof rows[0], 3, cudaMemcpyHostToDevice) == cudaSuccess);
    EXPECT(cudaMemcpy2D(back, sizeof back[0], pitched + 1, pitch, sizeof back[0], 3, cudaMemcpyDeviceToHost) ==
           cudaSuccess);
    EXPECT(back[0][0] == 2 && back[2][1] == 11);

    int out[192], *d_out;
    unsigned *lock;
    EXPECT(cudaMalloc(&d_out, sizeof out) == cudaSuccess && cudaMalloc(&lock, sizeof *lock) == cudaSuccess);
    EXPECT(cudaMemset(lock, 0, sizeof *lock) == cudaSuccess);
    flags<<<1, 64>>>(d_out, lock);
    EXPECT(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost) == cudaSuccess);
    int winners = 0;
    for (int t = 0; t < 64; t++) {
        EXPECT(out[3 * t] == 0 && out[3 * t + 1] != 0);
        winners += out[3 * t + 2] == 4 + 31 + 4;
    }
    EXPECT(winners == 1);
    EXPECT(cudaFree(managed) == cudaSuccess && cudaFreeHost(pinned) == cudaSuccess && cudaFree(d) == cudaSuccess);
    EXPECT(cudaEventDestroy(start) == cudaSuccess && cudaEventDestroy(end) == cudaSuccess);
    EXPECT(cudaStreamDestroy(stream) == cudaSuccess && cudaDeviceReset() == cudaSuccess);
    printf("ok\n");
    return 0;
}

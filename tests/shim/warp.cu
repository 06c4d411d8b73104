// Shuffles and votes: a reduction with each kind of shuffle, of each type, in warps of which one is partly filled.
#include <stdio.h>
#include <cuda_runtime.h>

template <class T>
__device__ T down(T value) {
    for (int delta = 16; delta > 0; delta /= 2) value += __shfl_down_sync(0xffffffffu, value, delta);
    return __shfl_sync(0xffffffffu, value, 0);
}

template <class T>
__device__ T butterfly(T value, int width) {
    for (int bit = width / 2; bit > 0; bit /= 2) value += __shfl_xor_sync(0xffffffffu, value, bit, width);
    return value;
}

__device__ int prefix(int value) {
    for (int delta = 1; delta < 32; delta *= 2) {
        int below = __shfl_up_sync(0xffffffffu, value, delta);
        if ((int)(threadIdx.x % 32) >= delta) value += below;
    }
    return value;
}

__global__ void warps(double *out) {
    int t = threadIdx.x;
    double *mine = out + 10 * t;
    mine[0] = down(t);
    mine[1] = down(0.5 * t);
    mine[2] = down(0.25f * t);
    mine[3] = (double)down((long long)t << 33);
    mine[4] = (double)down((unsigned)t);
    mine[5] = (double)butterfly((unsigned long long)t, 32);
    mine[6] = butterfly(t, 8);
    mine[7] = prefix(t);
    mine[8] = __ballot_sync(0xffffffffu, t % 3 == 0);
    mine[9] = 2 * __any_sync(0xffffffffu, t == 40) + __all_sync(0xffffffffu, t < 32);
    __syncwarp();
    if (t < 16) mine[9] += 4 * __shfl_sync(0x0000ffffu, t, 15);  // half a warp, the other half is elsewhere
}

int main() {
    const int threads = 64;
    static double out[10 * threads];
    double *d_out;
    cudaMalloc(&d_out, sizeof out);
    warps<<<1, threads>>>(d_out);
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    for (int t = 5; t < threads; t += 32) {
        for (int i = 0; i < 10; i++) printf("%.0f ", out[10 * t + i]);
        printf("\n");
    }
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    cudaFree(d_out);
    return 0;
}

// Loops over the whole grid, as people write them; the last kernels are more than such a loop.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#define COUNT 1500
#define LANE (LINE & \
              31)
#define LINE threadIdx.x
#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)

__global__ void fill(float *a, float *b, int n)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    int stride = blockDim.x * gridDim.x;
    for (int i = tid; i < n; i += stride) {
        a[i] = (float)(i % 17);
        b[i] = 1.0f;
    }
}

__global__ void axpy(size_t n, float f, const float *__restrict__ x, float *__restrict__ y)
{
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        y[i] = f * x[i] + y[i];
}

__global__ void blur(float *out, const float *in, int n)
{
    const int first = threadIdx.x + blockDim.x * blockIdx.x, last = n - 1;
    #pragma unroll 4
    for (int i = first; i <= last; i = i + blockDim.x * gridDim.x) {
        float left = i > 0 ? in[i - 1] : 0.0f, right = i < n - 1 ? in[i + 1] : 0.0f;
        if (i > 0 && i < n - 1)
            out[i] = 0.25f * left + 0.5f * in[i] + 0.25f * right;
        else
            out[i] = in[i];
    }
}

__global__ void rows(float *sums, const float *a, int height, int width)
{
    float sum;
    const unsigned total = height;
    for (unsigned r = blockDim.x * blockIdx.x + threadIdx.x; r < total; r += blockDim.x * gridDim.x) {
        sum = 0;
        for (int c = 0; c < width; c++)
            sum += a[r * width + c];
        sums[r] = sum;
    }
}

__global__ void reversed(float *out, const float *in)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < COUNT; i += gridDim.x * blockDim.x)
        out[i] = in[COUNT - 1 - i];
}

// all of what data choose cells of is read by all devices
__global__ void gather(float *out, const int *where, const float *in, int n)
{
    for (int i = THREAD; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[where[i]] - out[i];
}

__global__ void pick(float *out, const int *where, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] += in[where[i]];
}

// which thread makes which iteration is seen
__global__ void counted(float *out, int n)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = tid; i < n; i += blockDim.x * gridDim.x)
        out[i] = (float)tid;
}

__global__ void lanes(float *out, int n)
{
    for (int i = THREAD; i < n; i += gridDim.x * blockDim.x)
        out[i] = (float)LANE;
}

__global__ void running(float *out, const float *in, int n)
{
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        sum += in[i];
        out[i] = sum;
    }
}

__global__ void partial(float *sums, const float *in, int n)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int i = tid; i < n; i += blockDim.x * gridDim.x)
        sum += in[i];
    sums[tid] = sum;
}

__global__ void counted_down(float *out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        n -= 1;
        out[i] = (float)n;
    }
}

int main()
{
    const int n = COUNT, bytes = n * sizeof(float);
    float *a, *b, *c, *sums, *host = (float *)malloc(bytes);
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMalloc(&c, bytes);
    cudaMalloc(&sums, bytes);
    cudaMemset(sums, 0, bytes);
    fill<<<5, 32>>>(a, b, n);
    for (int step = 0; step < 3; step++) {
        axpy<<<4, 64>>>(n, 0.5f, a, b);
        blur<<<3, 32>>>(c, b, n);
        float *t = b;
        b = c;
        c = t;
    }
    reversed<<<2, 64>>>(c, b);
    rows<<<2, 8>>>(sums, c, 60, 25);
    int *where, *places = (int *)malloc(n * sizeof(int));
    for (int i = 0; i < n; i++)
        places[i] = i * 7 % (n - 10);
    cudaMalloc(&where, n * sizeof(int));
    cudaMemcpy(where, places, n * sizeof(int), cudaMemcpyHostToDevice);
    gather<<<2, 64>>>(c, where, a, n);
    gather<<<2, 64>>>(c + 1000, where, c, 20); // in one piece of memory
    pick<<<24, 64>>>(a, where, c, n);
    pick<<<24, 64>>>(a, where, c + 10, n - 10);
    for (int k = 0; k < 5; k++) {
        if (k == 1)
            counted<<<2, 64>>>(b, n), lanes<<<2, 64>>>(sums, n);
        if (k == 2)
            running<<<2, 64>>>(c, a, n);
        if (k == 3)
            partial<<<2, 64>>>(sums, a, n);
        if (k == 4)
            counted_down<<<2, 64>>>(c, n);
        float *const shown[] = {a, b, c, sums};
        for (int which = 0; which < 4; which++) {
            double sum = 0;
            cudaMemcpy(host, shown[which], bytes, cudaMemcpyDeviceToHost);
            for (int i = 0; i < n; i++)
                sum += host[i] * (i % 11 + 1);
            printf("%.9g ", sum);
        }
        printf("\n");
    }
    cudaFree(a); cudaFree(b); cudaFree(c); cudaFree(sums); cudaFree(where);
    free(host); free(places);
    return 0;
}

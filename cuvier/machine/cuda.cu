/* The first CUDA device: its limits, and what it reaches.  Prints a line `key value` each; status 1: there is none. */
#include <chrono>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

enum { WIDTH = 256, STEPS = 4096, CHAINS = 8, ROUNDS = 5, TIMES = 1000, LONG = 1 << 26 };

static __global__ void triad(float *a, const float *b, const float *c, float s, long n)
{
    for (long i = (long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (long)gridDim.x * blockDim.x)
        a[i] = b[i] + s * c[i];
}

template <typename Real> static __global__ void sums(Real *a, float seed)
{
    Real factor = (Real)0.999f * seed, term = (Real)0.001f, sum[CHAINS];
#pragma unroll
    for (int c = 0; c < CHAINS; c++)
        sum[c] = seed + c;
    for (int k = 0; k < STEPS; k++) {
#pragma unroll
        for (int c = 0; c < CHAINS; c++)
            sum[c] = sum[c] * factor + term;
    }
#pragma unroll
    for (int c = 1; c < CHAINS; c++)
        sum[0] += sum[c];
    a[(long)blockIdx.x * blockDim.x + threadIdx.x] = sum[0];
}

/* The best of some rounds in seconds; 0: it did not run. */
template <typename Launch> static double best(Launch launch)
{
    cudaEvent_t start, end;
    double found = 0;
    if (cudaEventCreate(&start) != cudaSuccess || cudaEventCreate(&end) != cudaSuccess)
        return 0;
    for (int round = 0; round <= ROUNDS; round++) {
        float time = 0;
        cudaEventRecord(start);
        launch();
        cudaEventRecord(end);
        if (cudaEventSynchronize(end) != cudaSuccess || cudaEventElapsedTime(&time, start, end) != cudaSuccess)
            return 0;
        if (round > 0 && (found == 0 || time * 1e-3 < found)) /* the first one warms up */
            found = time * 1e-3;
    }
    return cudaGetLastError() == cudaSuccess ? found : 0;
}

static void print_bandwidth(int units, size_t memory)
{
    const long n = memory / 8 / 3 / sizeof(float) < 64000000 ? memory / 8 / 3 / sizeof(float) : 64000000;
    float *memories[3];
    for (float *&array : memories)
        if (cudaMalloc(&array, n * sizeof(float)) != cudaSuccess || cudaMemset(array, 0, n * sizeof(float)) != cudaSuccess)
            return;
    const double time =
        best([&] { triad<<<units * 16, WIDTH>>>(memories[0], memories[1], memories[2], 0.5f, n); });
    if (time > 0)
        printf("bandwidth %.0f\n", 3.0 * n * sizeof(float) / time);
}

template <typename Real> static void print_peak(int units, const char *key)
{
    const long blocks = units * 16L;
    Real *array;
    if (cudaMalloc(&array, blocks * WIDTH * sizeof(Real)) != cudaSuccess)
        return;
    const double time = best([&] { sums<Real><<<blocks, WIDTH>>>(array, 1.0f); });
    if (time > 0)
        printf("%s %.0f\n", key, 2.0 * blocks * WIDTH * STEPS * CHAINS / time);
}

static __global__ void one(float *a)
{
    a[0] += 1;
}

/* The best of some rounds in seconds as the host sees them; 0: it did not run. */
template <typename Work> static double waited(Work work)
{
    double found = 0;
    for (int round = 0; round <= ROUNDS; round++) {
        const auto start = std::chrono::steady_clock::now();
        work();
        if (cudaDeviceSynchronize() != cudaSuccess)
            return 0;
        const double time = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        if (round > 0 && (found == 0 || time < found)) /* the first one warms up */
            found = time;
    }
    return cudaGetLastError() == cudaSuccess ? found : 0;
}

/* What a launch behind another one takes, a copy of eight bytes, and the rate of long copies. */
static void print_times()
{
    std::vector<char> host(LONG);
    char *device;
    if (cudaMalloc(&device, LONG) != cudaSuccess || cudaMemset(device, 0, LONG) != cudaSuccess)
        return;
    const double launches = waited([&] {
        for (int k = 0; k < TIMES; k++)
            one<<<1, 1>>>((float *)device);
    });
    const double copies = waited([&] {
        for (int k = 0; k < TIMES; k++)
            cudaMemcpy(device + 8 * k, host.data() + 8 * k, 8, cudaMemcpyHostToDevice);
    });
    const double copy = waited([&] { cudaMemcpy(device, host.data(), LONG, cudaMemcpyHostToDevice); });
    if (launches > 0 && copies > 0 && copy > 0)
        printf("launch %.10f\nlatency %.10f\ncopying %.0f\n", launches / TIMES, copies / TIMES, LONG / copy);
}

int main()
{
    const auto begun = std::chrono::steady_clock::now();
    cudaDeviceProp found;
    int clock = 0;
    if (cudaFree(nullptr) != cudaSuccess) /* the context is made */
        return 1;
    printf("opening %.10f\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count());
    if (cudaGetDeviceProperties(&found, 0) != cudaSuccess || cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, 0) != cudaSuccess)
        return 1;
    printf("name %s\n", found.name);
    printf("kind gpu\n");
    printf("architecture sm_%d%d\n", found.major, found.minor);
    printf("units %d\n", found.multiProcessorCount);
    printf("warp %d\n", found.warpSize);
    printf("threads_per_block %d\n", found.maxThreadsPerBlock);
    printf("shared_per_block %zu\n", found.sharedMemPerBlock);
    printf("registers_per_block %d\n", found.regsPerBlock);
    printf("memory %zu\n", found.totalGlobalMem);
    printf("clock %ld\n", 1000L * clock);
    print_bandwidth(found.multiProcessorCount, found.totalGlobalMem);
    print_peak<float>(found.multiProcessorCount, "single");
    print_peak<double>(found.multiProcessorCount, "double");
    print_times();
    return 0;
}

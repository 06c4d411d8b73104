/* Products of fragments of doubles by tensor cores (PTX ISA, mma.m16n8k8 and m8n8k4). */
#ifndef CUVIER_TENSOR_H
#define CUVIER_TENSOR_H

/* Adds the product of 16 x 8 and 8 x 8 values that the threads of a warp share; tensor cores since sm_80 do it at once.
 * Thread l has the sums of rows l / 4 (`upper`) and l / 4 + 8 (`lower`), in columns l % 4 * 2 and the next; `a` are
 * values of these rows in steps l % 4 and, from a2 on, l % 4 + 4; `b` the same of column l / 4. */
static __device__ __forceinline__ void cuvier_multiply_add(double *upper, double *lower, double a0, double a1, double a2, double a3, double b0, double b1)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 { %0, %1, %2, %3}, { %4, %5, %6, %7}, { %8, %9}, { %0, %1, %2, %3};"
        : "+d"(upper[0]), "+d"(upper[1]), "+d"(lower[0]), "+d"(lower[1])
        : "d"(a0), "d"(a1), "d"(a2), "d"(a3), "d"(b0), "d"(b1));
#else
    const double a[4] = {a0, a1, a2, a3}, b[2] = {b0, b1};
    for (int part = 0; part < 4; part++) {
        double *sums = part % 2 ? lower : upper;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
        asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 { %0, %1}, { %2}, { %3}, { %0, %1};"
            : "+d"(sums[0]), "+d"(sums[1])
            : "d"(a[part]), "d"(b[part / 2]));
#else
        const int lane = threadIdx.x % 32;
        for (int k = 0; k < 4; k++) {
            const double value = __shfl_sync(0xffffffffu, a[part], lane / 4 * 4 + k);
            sums[0] += value * __shfl_sync(0xffffffffu, b[part / 2], lane % 4 * 8 + k);
            sums[1] += value * __shfl_sync(0xffffffffu, b[part / 2], lane % 4 * 8 + 4 + k);
        }
#endif
    }
#endif
}

#endif

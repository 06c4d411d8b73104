/* Products by cuBLAS: every call is checked as those of CUDA are.  The library works on the stream of the kernels. */
#ifndef CUVIER_BLAS_H
#define CUVIER_BLAS_H

#include <cublas_v2.h>

static inline void cuvier_blas_check(cublasStatus_t status, const char *kernel, const char *call)
{
    if (status == CUBLAS_STATUS_SUCCESS)
        return;
    fprintf(stderr, "cuvier: %s: %s failed: %s\n", kernel, call, cublasGetStatusString(status));
    exit(1);
}

/* The thread's handle, made at its first product and kept until the program ends. */
static __thread cublasHandle_t cuvier_blas_own;

static inline cublasHandle_t cuvier_blas(const char *kernel)
{
    if (cuvier_blas_own == NULL)
        cuvier_blas_check(cublasCreate(&cuvier_blas_own), kernel, "cublasCreate");
    return cuvier_blas_own;
}

/* The library counts with `int`. */
static inline int cuvier_blas_counts(long count)
{
    return 0 < count && count <= INT_MAX;
}

/* Rows of so many elements that begin `apart` from each other, and do not overlap. */
static inline int cuvier_blas_rows(long length, long apart)
{
    return length <= apart && apart <= INT_MAX;
}

#endif

/* The part of the cuBLAS interface that generated programs use, for tests on machines without a GPU: plain loops on
 * the host, which refuse what the library refuses and copy no element that it does not touch. */
#ifndef CUBLAS_V2_H
#define CUBLAS_V2_H

#include <cuda_runtime.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum { CUBLAS_STATUS_SUCCESS = 0, CUBLAS_STATUS_NOT_INITIALIZED = 1, CUBLAS_STATUS_INVALID_VALUE = 7, CUBLAS_STATUS_EXECUTION_FAILED = 13 } cublasStatus_t;
typedef enum { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1 } cublasOperation_t;
typedef enum { CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1 } cublasFillMode_t;
typedef struct { int calls; } *cublasHandle_t;

static inline const char *cublasGetStatusString(cublasStatus_t status)
{
  return status == CUBLAS_STATUS_INVALID_VALUE ? "an invalid value" : "failure";
}

static inline cublasStatus_t cublasCreate(cublasHandle_t *handle)
{
  static int made;
  if (getenv("CUBLAS_FAILS") || made++)
    return CUBLAS_STATUS_NOT_INITIALIZED; /* one handle is enough for a program of one thread */
  static __typeof__(**handle) only;
  *handle = &only;
  return CUBLAS_STATUS_SUCCESS;
}

/* A matrix by columns: column `j` has its element `i` at `i`, or with `trans` the other way round. */
template <typename real> struct cublas_matrix {
  real *values;
  int rows, columns;
  bool trans, failed;

  cublas_matrix(const real *from, int width, int rows, int columns, bool trans, bool is_read)
      : values((real *)calloc((size_t)rows * columns + 1, sizeof(real))), rows(rows), columns(columns), trans(trans), failed(false)
  {
    for (int j = 0; is_read && j < columns; j++)
      failed |= cudaMemcpy(values + (size_t)j * rows, from + (size_t)j * width, rows * sizeof(real), cudaMemcpyDeviceToHost) != cudaSuccess;
  }
  ~cublas_matrix() { free(values); }
  real &at(int i, int j) { return trans ? values[(size_t)i * rows + j] : values[(size_t)j * rows + i]; }
};

static inline bool cublas_is_wide(int rows, int width) { return width >= (rows > 1 ? rows : 1); }

/* `part`: -1 all of it, else a triangle of a square. */
template <typename real>
static cublasStatus_t cublas_product(cublasHandle_t handle, int part, bool ta, bool tb, int m, int n, int k, const real *alpha, const real *a, int lda, const real *b, int ldb, const real *beta, real *c, int ldc)
{
  if (handle == NULL)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  if (m < 0 || n < 0 || k < 0 || !cublas_is_wide(ta ? k : m, lda) || !cublas_is_wide(tb ? n : k, ldb) || !cublas_is_wide(m, ldc))
    return CUBLAS_STATUS_INVALID_VALUE;
  cublas_matrix<real> A(a, lda, ta ? k : m, ta ? m : k, ta, *alpha != 0);
  cublas_matrix<real> B(b, ldb, tb ? n : k, tb ? k : n, tb, *alpha != 0);
  bool failed = A.failed || B.failed;
  for (int j = 0; j < n; j++) {
    const int low = part == CUBLAS_FILL_MODE_LOWER ? j : 0, high = part == CUBLAS_FILL_MODE_UPPER ? j + 1 : m;
    cublas_matrix<real> C(c + (size_t)j * ldc + low, ldc, high - low, 1, false, *beta != 0);
    for (int i = low; i < high; i++) {
      real sum = 0;
      for (int l = k - 1; *alpha != 0 && l >= 0; l--)
        sum += A.at(i, l) * B.at(l, j);
      C.at(i - low, 0) = *alpha * sum + (*beta != 0 ? *beta * C.at(i - low, 0) : 0);
    }
    failed |= C.failed || cudaMemcpy(c + (size_t)j * ldc + low, C.values, (high - low) * sizeof(real), cudaMemcpyHostToDevice) != cudaSuccess;
  }
  handle->calls++;
  return failed ? CUBLAS_STATUS_EXECUTION_FAILED : CUBLAS_STATUS_SUCCESS;
}

#define CUBLAS_PRODUCTS(kind, real) \
  static inline cublasStatus_t cublas##kind##gemm(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const real *alpha, const real *a, int lda, const real *b, int ldb, const real *beta, real *c, int ldc) \
  { \
    return cublas_product(handle, -1, ta == CUBLAS_OP_T, tb == CUBLAS_OP_T, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc); \
  } \
  static inline cublasStatus_t cublas##kind##gemmStridedBatched(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const real *alpha, const real *a, int lda, long long apart_a, const real *b, int ldb, long long apart_b, const real *beta, real *c, int ldc, long long apart_c, int count) \
  { \
    cublasStatus_t status = count < 0 ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS; \
    for (int q = 0; q < count && status == CUBLAS_STATUS_SUCCESS; q++) \
      status = cublas##kind##gemm(handle, ta, tb, m, n, k, alpha, a + q * apart_a, lda, b + q * apart_b, ldb, beta, c + q * apart_c, ldc); \
    return status; \
  } \
  static inline cublasStatus_t cublas##kind##syrk(cublasHandle_t handle, cublasFillMode_t part, cublasOperation_t trans, int n, int k, const real *alpha, const real *a, int lda, const real *beta, real *c, int ldc) \
  { \
    const bool t = trans == CUBLAS_OP_T; \
    return cublas_product(handle, part, t, !t, n, n, k, alpha, a, lda, a, lda, beta, c, ldc); \
  } \
  static inline cublasStatus_t cublas##kind##syr2k(cublasHandle_t handle, cublasFillMode_t part, cublasOperation_t trans, int n, int k, const real *alpha, const real *a, int lda, const real *b, int ldb, const real *beta, real *c, int ldc) \
  { \
    const bool t = trans == CUBLAS_OP_T; \
    const real one = 1; \
    const cublasStatus_t status = cublas_product(handle, part, t, !t, n, n, k, alpha, a, lda, b, ldb, beta, c, ldc); \
    return status ? status : cublas_product(handle, part, t, !t, n, n, k, alpha, b, ldb, a, lda, &one, c, ldc); \
  }

CUBLAS_PRODUCTS(S, float)
CUBLAS_PRODUCTS(D, double)
#endif

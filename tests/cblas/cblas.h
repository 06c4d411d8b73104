/* The part of the CBLAS interface that generated programs use, for tests on machines without a BLAS. */
#ifndef CBLAS_H
#define CBLAS_H
#include <stddef.h>

typedef enum { CblasRowMajor = 101, CblasColMajor = 102 } CBLAS_LAYOUT;
typedef enum { CblasNoTrans = 111, CblasTrans = 112 } CBLAS_TRANSPOSE;
typedef enum { CblasUpper = 121, CblasLower = 122 } CBLAS_UPLO;

#define PRODUCTS(kind, real) \
  void cblas_##kind##gemm(CBLAS_LAYOUT, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, int m, int n, int k, real alpha, \
                          const real *a, int lda, const real *b, int ldb, real beta, real *c, int ldc); \
  void cblas_##kind##syrk(CBLAS_LAYOUT, CBLAS_UPLO, CBLAS_TRANSPOSE, int n, int k, real alpha, const real *a, \
                          int lda, real beta, real *c, int ldc); \
  void cblas_##kind##syr2k(CBLAS_LAYOUT, CBLAS_UPLO, CBLAS_TRANSPOSE, int n, int k, real alpha, \
                           const real *a, int lda, const real *b, int ldb, real beta, real *c, int ldc)

PRODUCTS(s, float);
PRODUCTS(d, double);
#endif

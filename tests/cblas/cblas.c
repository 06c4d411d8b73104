/* A plain CBLAS that refuses what the real ones refuse, and touches nothing that they do not touch. */
#include "cblas.h"
#include <stdio.h>
#include <stdlib.h>

static void check(int holds, const char *what)
{
  if (holds)
    return;
  fprintf(stderr, "cblas: %s\n", what);
  exit(9);
}

/* Rows and columns of a matrix in memory: of `rows` by `columns`, or of its transpose. */
static void check_matrix(CBLAS_TRANSPOSE trans, int rows, int columns, int width)
{
  const int stored = trans == CblasNoTrans ? columns : rows;
  check(trans == CblasNoTrans || trans == CblasTrans, "transposition");
  check(width >= (stored > 1 ? stored : 1), "leading dimension");
}

#define AT(x, trans, i, j, width) ((trans) == CblasNoTrans ? (x)[(size_t)(i) * (width) + (j)] : (x)[(size_t)(j) * (width) + (i)])

#define DEFINE(kind, real) \
  void cblas_##kind##gemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k, \
                          real alpha, const real *a, int lda, const real *b, int ldb, real beta, real *c, int ldc) \
  { \
    check(layout == CblasRowMajor && m >= 0 && n >= 0 && k >= 0, "layout or size"); \
    check_matrix(ta, m, k, lda); \
    check_matrix(tb, k, n, ldb); \
    check_matrix(CblasNoTrans, m, n, ldc); \
    for (int i = 0; i < m; i++) \
      for (int j = 0; j < n; j++) { \
        real sum = 0; \
        for (int l = 0; l < k; l++) \
          sum += AT(a, ta, i, l, lda) * AT(b, tb, l, j, ldb); \
        c[(size_t)i * ldc + j] = beta * c[(size_t)i * ldc + j] + alpha * sum; \
      } \
  } \
  void cblas_##kind##syr2k(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int n, int k, real alpha, \
                           const real *a, int lda, const real *b, int ldb, real beta, real *c, int ldc) \
  { \
    check(layout == CblasRowMajor && n >= 0 && k >= 0, "layout or size"); \
    check(uplo == CblasLower || uplo == CblasUpper, "triangle"); \
    check_matrix(trans, n, k, lda); \
    check_matrix(trans, n, k, ldb); \
    check_matrix(CblasNoTrans, n, n, ldc); \
    for (int i = 0; i < n; i++) \
      for (int j = uplo == CblasLower ? 0 : i; j < (uplo == CblasLower ? i + 1 : n); j++) { \
        real sum = 0; \
        for (int l = 0; l < k; l++) \
          sum += AT(a, trans, i, l, lda) * AT(b, trans, j, l, ldb) + AT(b, trans, i, l, ldb) * AT(a, trans, j, l, lda); \
        c[(size_t)i * ldc + j] = beta * c[(size_t)i * ldc + j] + alpha * sum; \
      } \
  } \
  void cblas_##kind##syrk(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int n, int k, real alpha, \
                          const real *a, int lda, real beta, real *c, int ldc) \
  { \
    cblas_##kind##syr2k(layout, uplo, trans, n, k, alpha / 2, a, lda, a, lda, beta, c, ldc); \
  }

DEFINE(s, float)
DEFINE(d, double)

/* Matrix products and their relatives: all transpositions, types, tensors, offsets, steps; printed to the last bit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCALE 3
#define AT(matrix, row, column, width) (matrix)[(row) * (width) + (column)]

typedef float real;

/* C = alpha A B + beta C */
static void gemm(int n, int m, int p, double alpha, double beta, double A[restrict n][p], double B[restrict p][m],
                 double C[restrict n][m])
{
    int i, j, k;

    for (i = 0; i < n; i++)
        for (j = 0; j < m; j++) {
            C[i][j] *= beta; /* first the old one */
            for (k = 0; k < p; k++)
                C[i][j] += alpha * A[i][k] * B[k][j];
        }
}

/* both transposed, and flat */
static void gemm_tt(int n, int m, int p, const real *restrict A, const real *restrict B, real *restrict C)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            real sum = 0;
            for (int k = 0; k < p; k++)
                sum += AT(A, k, i, n) * AT(B, j, k, p);
            C[i * m + j] = sum;
        }
}

/* the output runs along its rows, and C is what comes after */
static void gemm_tn(int n, int m, int p, float c, float beta, float A[restrict p][n], float B[restrict p][m],
                    float C[restrict m][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            float r = 0.0f;
            for (int k = 0; k < p; k++)
                r += B[k][j] * A[k][i];
            C[j][i] = c * r + beta * C[j][i];
        }
}

static void gemm_nt(int n, int m, int p, double A[restrict n][p], double B[restrict m][p], double C[restrict n][m])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int k = 0; k < p; k++)
                C[i][j] -= A[i][k] * B[j][k];
}

static void syr2k(int n, int p, double alpha, double A[restrict n][p], double B[restrict n][p],
                  double C[restrict n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            for (int k = 0; k < p; k++)
                C[i][j] += A[j][k] * alpha * B[i][k] + B[j][k] * alpha * A[i][k];
            C[i][j] = C[i][j] / 2 + SCALE;
        }
}

/* one product per b, of numbers of different types */
static void batched(int n, int m, int p, short A[restrict 3][n][p], float B[restrict 3][p][m],
                    double C[restrict 3][n][m])
{
    for (int b = 0; b < 3; b++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++) {
                C[b][i][j] = SCALE * b;
                for (int k = 0; k < p; k++)
                    C[b][i][j] = C[b][i][j] + A[b][i][k] * B[b][k][j];
            }
}

/* rows of two loops, and two loops that are summed over */
static void tensor(int n, int m, int p, int A[restrict n][3][p][2], long B[restrict p][m][2],
                   long C[restrict n][m][3])
{
    for (int i = 0; i < n; i++)
        for (int q = 0; q < 3; q++)
            for (int j = 0; j < m; j++) {
                long sum = i - q;
                for (int k = 0; k < p; k++)
                    for (int l = 0; l < 2; l++)
                        sum += A[i][q][k][l] * B[k][j][l];
                C[i][j][q] = sum;
            }
}

/* some rows and columns only, and some steps, from the last on */
static void some(int n, int m, int p, unsigned A[restrict n][p], unsigned B[restrict p][m], unsigned C[restrict n][m])
{
    for (int i = 1; i < n; i += 2)
        for (int j = m - 2; j >= 0; j--)
            for (int k = p - 1; k >= 1; k -= 3)
                C[i][j] = A[i][k - 1] * B[k][j + 1] + C[i][j] * 3;
}

/* no product: squares of differences */
static void distances(int n, int m, int p, double A[restrict n][p], double B[restrict m][p], double w[restrict p],
                      double C[restrict n][m])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            double d = 0;
            for (int k = 0; k < p; k++)
                d += (A[i][k] - B[j][k]) * (A[i][k] - B[j][k]) * w[k];
            C[i][j] = d;
        }
}

/* the lower triangle of A A' */
static void syrk(int n, int p, double beta, double A[restrict n][p], double C[restrict n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = beta * C[i][j];
            for (int k = 0; k < p; k++)
                sum += A[i][k] * A[j][k];
            C[i][j] = sum;
        }
}

/* the upper one, mirrored; not every row has one */
static void mirrored(int n, int m, int p, double A[restrict p][n], double C[restrict n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < m; j++) {
            C[i][j] = 0;
            for (int k = 0; k < p; k++)
                C[i][j] += A[k][i] * A[k][j];
            C[j][i] = C[i][j];
        }
}

/* where the sums have no terms, C is not touched */
static void apart(int n, int m, int p, float A[restrict n][p], float B[restrict p][m], float C[restrict n][m],
                  float D[restrict n][m])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            D[i][j] = i + j;
            for (int k = 2; k < p; k++)
                C[i][j] += A[i][k] * 2 * B[k][j];
        }
}

static unsigned seed = 1;

static double next(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 16) % 1001 / 64.0 - 7;
}

#define FILL(array, count, type) \
    do { \
        for (long fill = 0; fill < (count); fill++) \
            ((type *)(array))[fill] = (type)(sizeof(type) < 4 || (type)0.5 == 0 ? (int)next() : next() / 3); \
    } while (0)

static void show(const char *name, const void *array, size_t bytes)
{
    unsigned long hash = 14695981039346656037ul;
    for (size_t at = 0; at < bytes; at++)
        hash = (hash ^ ((const unsigned char *)array)[at]) * 1099511628211ul;
    printf("%s %016lx\n", name, hash);
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 33, m = argc > 2 ? atoi(argv[2]) : 20, p = argc > 3 ? atoi(argv[3]) : 17;
    const long most = n > m ? (n > p ? n : p) : (m > p ? m : p), cells = 6 * most * most + 1;
    double *A = malloc(cells * 8), *B = malloc(cells * 8), *C = calloc(cells, 8), *w = malloc((p + 1) * 8);
    if (!A || !B || !C || !w)
        return 1;

    FILL(A, cells, double);
    FILL(B, cells, double);
    FILL(C, cells, double);
    FILL(w, p, double);
    gemm(n, m, p, 1.25, 0.75, (void *)A, (void *)B, (void *)C);
    show("gemm", C, cells * 8);
    gemm_nt(n, m, p, (void *)A, (void *)B, (void *)C);
    show("gemm_nt", C, cells * 8);
    syr2k(n, p, 0.7, (void *)A, (void *)B, (void *)C);
    show("syr2k", C, cells * 8);
    distances(n, m, p, (void *)A, (void *)B, w, (void *)C);
    show("distances", C, cells * 8);

    syrk(n, p, 0.4, (void *)A, (void *)C);
    show("syrk", C, cells * 8);
    mirrored(n, m < n ? m : n, p, (void *)B, (void *)C);
    show("mirrored", C, cells * 8);

    FILL(A, cells, float);
    FILL(B, cells, float);
    FILL(C, cells, float);
    gemm_tt(n, m, p, (void *)A, (void *)B, (void *)C);
    show("gemm_tt", C, cells * 4);
    gemm_tn(n, m, p, 1.5f, 0.3f, (void *)A, (void *)B, (void *)C);
    show("gemm_tn", C, cells * 4);

    apart(n, m, p, (void *)A, (void *)B, (void *)C, (void *)((float *)C + 3 * most * most));
    show("apart", C, cells * 4);

    FILL(A, cells, short);
    batched(n, m, p, (void *)A, (void *)B, (void *)C);
    show("batched", C, 3L * n * m * 8);

    FILL(A, cells, int);
    FILL(B, cells, long);
    FILL(C, cells, long);
    tensor(n, m, p, (void *)A, (void *)B, (void *)C);
    show("tensor", C, cells * 8);
    FILL(B, cells, unsigned);
    FILL(C, cells, unsigned);
    some(n, m, p, (void *)A, (void *)B, (void *)C);
    show("some", C, cells * 4);
    free(A);
    free(B);
    free(C);
    free(w);
    return 0;
}

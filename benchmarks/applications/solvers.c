/* solvers.c - small dense toolbox: LU (row pointers), Householder QR on a
 * column-major blob, power iteration on VLAs, tridiagonal sweeps. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CM(a, i, j, ld) ((a)[(size_t)(j) * (ld) + (i)])

typedef struct { int n; double **a; int *perm; int sign; } lu_t;

static double frac(int i, int j)
{
    double t = sin(12.9898 * (i + 1) + 78.233 * (j + 1)) * 43.7585;
    return t - floor(t) - 0.5;
}

static int lu_alloc(lu_t *f, int n)
{
    f->n = n; f->sign = 1;
    f->a = malloc(n * sizeof *f->a);
    f->perm = malloc(n * sizeof *f->perm);
    if (!f->a || !f->perm) return -1;
    for (int i = 0; i < n; i++) {
        f->perm[i] = i;
        if (!(f->a[i] = malloc(n * sizeof **f->a))) return -1;
    }
    return 0;
}

static void lu_release(lu_t *f)
{
    for (int i = 0; i < f->n; i++) free(f->a[i]);
    free(f->a); free(f->perm);
}

static int lu_factor(lu_t *f)
{
    int n = f->n;
    double **a = f->a;
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i][k]) > fabs(a[p][k])) p = i;
        if (a[p][k] == 0.0) return k + 1;
        if (p != k) {
            double *t = a[p]; a[p] = a[k]; a[k] = t;
            int q = f->perm[p]; f->perm[p] = f->perm[k]; f->perm[k] = q;
            f->sign = -f->sign;
        }
        /* OMP: parallel for schedule(static) if(n - k > 96) */
        for (int i = k + 1; i < n; i++) {
            double m = a[i][k] /= a[k][k];
            if (m == 0.0) continue;
            for (int j = k + 1; j < n; j++)
                a[i][j] -= m * a[k][j];
        }
    }
    return 0;
}

static void lu_solve(const lu_t *f, const double *b, double *x)
{
    for (int i = 0; i < f->n; i++) {
        double s = b[f->perm[i]];
        const double *r = f->a[i];
        for (int j = 0; j < i; j++) s -= r[j] * x[j];
        x[i] = s;
    }
    for (int i = f->n; i-- > 0; ) {
        double s = x[i];
        const double *r = f->a[i];
        for (int j = i + 1; j < f->n; j++) s -= r[j] * x[j];
        x[i] = s / r[i];
    }
}

static double nrm2(const double *x, int n)
{
    double s = 0;
    while (n-- > 0) { s += *x * *x; x++; }
    return sqrt(s);
}

/* A (m x n, column major) overwritten by R above and v below the diagonal */
static void qr_factor(double *A, int m, int n, double *beta, double *rdiag)
{
    for (int k = 0; k < n; k++) {
        double *v = &CM(A, k, k, m);
        int len = m - k;
        double alpha = nrm2(v, len);
        if (v[0] > 0) alpha = -alpha;
        rdiag[k] = alpha;
        v[0] -= alpha;
        double vv = nrm2(v, len);
        beta[k] = vv > 0 ? 2.0 / (vv * vv) : 0.0;
        /* OMP: parallel for schedule(static) if((n - k) * len > 20000) */
        for (int j = k + 1; j < n; j++) {
            double *c = &CM(A, k, j, m), s = 0;
            for (int i = 0; i < len; i++) s += v[i] * c[i];
            s *= beta[k];
            for (int i = 0; i < len; i++) c[i] -= s * v[i];
        }
    }
}

static void qr_lsq(const double *A, int m, int n, const double *beta, const double *rdiag, double *b, double *x)
{
    for (int k = 0; k < n; k++) {
        const double *v = &CM(A, k, k, m);
        double s = 0;
        for (int i = 0; i < m - k; i++) s += v[i] * b[k + i];
        s *= beta[k];
        for (int i = 0; i < m - k; i++) b[k + i] -= s * v[i];
    }
    for (int k = n - 1; k >= 0; k--) {
        x[k] = b[k] / rdiag[k];
        for (int i = 0; i < k; i++) b[i] -= x[k] * CM(A, i, k, m);
    }
}

static void matvec(int n, const double a[n][n], const double x[n], double y[n])
{
    /* OMP: parallel for schedule(static) */
    for (int i = 0; i < n; i++) {
        double s = 0;
        for (int j = 0; j < n; j++) s += a[i][j] * x[j];
        y[i] = s;
    }
}

static double power_iteration(int n, const double a[n][n], int iters)
{
    double x[n], y[n], lambda = 0;
    for (int i = 0; i < n; i++) x[i] = 1.0 / (1 + i % 3);
    for (int it = 0; it < iters; it++) {
        matvec(n, a, x, y);
        double s = nrm2(y, n);
        lambda = 0;
        for (int i = 0; i < n; i++) lambda += x[i] * y[i];
        for (int i = 0; i < n; i++) x[i] = y[i] / s;
    }
    return lambda;
}

/* Thomas algorithm, one rod per call; implicit heat step */
static void tridiag(int n, double r, const double *rhs, double *u, double *cp)
{
    double d = 1 + 2 * r;
    cp[0] = -r / d;
    u[0] = rhs[0] / d;
    for (int i = 1; i < n; i++) {
        double m = 1.0 / (d + r * cp[i - 1]);
        cp[i] = -r * m;
        u[i] = (rhs[i] + r * u[i - 1]) * m;
    }
    for (int i = n - 2; i >= 0; i--) u[i] -= cp[i] * u[i + 1];
}

static double heat(int n, int steps)
{
    double *u = malloc(n * sizeof *u), *v = malloc(n * sizeof *v), *cp = malloc(n * sizeof *cp);
    double total = 0;
    for (int i = 0; i < n; i++) u[i] = i < n / 3 ? 100.0 : 20.0;
    do {
        tridiag(n, 0.4, u, v, cp);
        double *t = u; u = v; v = t;
        u[0] = 100.0;
    } while (--steps > 0);
    for (int i = 0; i < n; i++) total += u[i];
    free(u); free(v); free(cp);
    return total / n;
}

int main(void)
{
    enum { N = 560, QM = 520, QN = 260, PN = 400 };
    lu_t f;
    if (lu_alloc(&f, N)) return 1;
    double *b = malloc(N * sizeof *b), *x = malloc(N * sizeof *x);
    for (int i = 0; i < N; i++) {
        b[i] = 0;
        for (int j = 0; j < N; j++) {
            f.a[i][j] = frac(i, j) + (i == j ? 3.0 : 0.0);
            b[i] += f.a[i][j] * (1 + j % 5);
        }
    }
    if (lu_factor(&f)) return 2;
    lu_solve(&f, b, x);
    double err = 0, logdet = 0;
    for (int i = 0; i < N; i++) {
        if (fabs(x[i] - (1 + i % 5)) > err) err = fabs(x[i] - (1 + i % 5));
        logdet += log(fabs(f.a[i][i]));
    }
    printf("lu err %s logdet %.4f sign %d\n", err < 1e-8 ? "small" : "LARGE", logdet, f.sign);
    lu_release(&f); free(b); free(x);

    double *A = malloc(sizeof(double) * QM * QN), *rhs = malloc(sizeof(double) * QM);
    double *beta = malloc(sizeof(double) * QN), *rd = malloc(sizeof(double) * QN), *sol = malloc(sizeof(double) * QN);
    for (int i = 0; i < QM; i++) rhs[i] = frac(i, 7) * 10;
    for (int j = 0; j < QN; j++)
        for (int i = 0; i < QM; i++) CM(A, i, j, QM) = frac(j, 3 * i) + (i == j ? 2.0 : 0.0);
    qr_factor(A, QM, QN, beta, rd);
    qr_lsq(A, QM, QN, beta, rd, rhs, sol);
    printf("qr residual %.5g |x| %.5g\n", nrm2(rhs + QN, QM - QN), nrm2(sol, QN));
    free(A); free(rhs); free(beta); free(rd); free(sol);

    double (*S)[PN] = malloc(sizeof(double[PN][PN]));
    for (int i = 0; i < PN; i++)
        for (int j = 0; j <= i; j++)
            S[i][j] = S[j][i] = 1.0 / (1 + abs(i - j)) + 0.05 * frac(i, j);
    printf("lambda %.6g\n", power_iteration(PN, (const double (*)[PN])S, 900));
    free(S);
    printf("heat %.4f\n", heat(2000, 2500));
    return 0;
}

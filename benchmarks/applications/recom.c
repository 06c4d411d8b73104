/* recom - explicit feedback recommender: biased ALS on a CSR/CSC rating
 * matrix, short SGD polish, hold-out RMSE and top-N lists. */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <string.h>
#include <math.h>

#define MAXRANK 64
#define TOPN    10

typedef int32_t idx_t;
typedef float   real_t;

typedef struct {
    idx_t nrow, ncol;
    size_t nnz;
    size_t *ptr;
    idx_t *col;
    real_t *val;
} csr_t;

typedef struct {
    int rank;
    idx_t nuser, nitem;
    real_t mean;
    real_t *bu, *bi;
    real_t *U, *V;                          /* row-major, rank per row */
} factors_t;

typedef struct { idx_t u, i; real_t r; } rating_t;
typedef struct { idx_t item; real_t score; } rec_t;

#define URow(f, u) ((f)->U + (size_t)(u) * (f)->rank)
#define VRow(f, i) ((f)->V + (size_t)(i) * (f)->rank)

static uint64_t lcg = 0x853c49e6748fea9bull;
static double uni(void)
{
    lcg = lcg * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(lcg >> 11) / 9007199254740992.0;
}
static double gauss(void) { double s = -6.0; for (int i = 0; i < 12; i++) s += uni(); return s; }

static void *xcalloc(size_t n, size_t sz)
{
    void *p = calloc(n ? n : 1, sz);
    if (p == NULL) { fprintf(stderr, "recom: calloc(%zu,%zu) failed\n", n, sz); exit(1); }
    return p;
}

static real_t dot(const real_t *a, const real_t *b, int n)
{
    real_t s = 0;
    while (n-- > 0) s += *a++ * *b++;
    return s;
}

static real_t predict(const factors_t *f, idx_t u, idx_t i)
{
    return f->mean + f->bu[u] + f->bi[i] + dot(URow(f, u), VRow(f, i), f->rank);
}

/* counting sort of triplets into rows; transpose swaps the roles */
static void to_csr(const rating_t *t, size_t n, idx_t nrow, idx_t ncol, int transpose, csr_t *m)
{
    m->nrow = nrow; m->ncol = ncol; m->nnz = n;
    m->ptr = xcalloc((size_t)nrow + 2, sizeof *m->ptr);
    m->col = xcalloc(n, sizeof *m->col);
    m->val = xcalloc(n, sizeof *m->val);
    size_t *next = m->ptr + 1;
    for (size_t k = 0; k < n; k++) m->ptr[(transpose ? t[k].i : t[k].u) + 2]++;
    for (idx_t r = 0; r < nrow; r++) m->ptr[r + 2] += m->ptr[r + 1];
    for (size_t k = 0; k < n; k++) {
        size_t at = next[transpose ? t[k].i : t[k].u]++;
        m->col[at] = transpose ? t[k].u : t[k].i;
        m->val[at] = t[k].r;
    }
}

static void free_csr(csr_t *m) { free(m->ptr); free(m->col); free(m->val); }

/* in-place Cholesky of lower triangle, then two triangular solves */
static int chol_solve(double *A, double *b, int n)
{
    for (int j = 0; j < n; j++) {
        for (int i = j; i < n; i++) {
            double s = A[i * n + j];
            for (int k = 0; k < j; k++) s -= A[i * n + k] * A[j * n + k];
            if (i == j) {
                if (s <= 1e-12) return j + 1;
                A[j * n + j] = sqrt(s);
            } else
                A[i * n + j] = s / A[j * n + j];
        }
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) b[i] -= A[i * n + k] * b[k];
        b[i] /= A[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) b[i] -= A[k * n + i] * b[k];
        b[i] /= A[i * n + i];
    }
    return 0;
}

/* Solve every row of X given the other side Y.  Returns rows that failed. */
static int als_side(const csr_t *R, real_t *X, const real_t *Y, const real_t *brow, const real_t *bcol,
                    real_t mean, int k, double lambda, double *change)
{
    int failed = 0;
    double moved = 0.0;
    /* OMP: parallel for schedule(dynamic,32) reduction(+:failed,moved) */
    for (idx_t r = 0; r < R->nrow; r++) {
        double A[MAXRANK * MAXRANK], b[MAXRANK];
        size_t beg = R->ptr[r], end = R->ptr[r + 1];
        real_t *x = X + (size_t)r * k;
        if (beg == end) { memset(x, 0, k * sizeof *x); continue; }
        memset(A, 0, (size_t)k * k * sizeof *A);
        memset(b, 0, k * sizeof *b);
        for (size_t p = beg; p < end; p++) {
            const real_t *y = Y + (size_t)R->col[p] * k;
            double e = R->val[p] - mean - brow[r] - bcol[R->col[p]];
            for (int i = 0; i < k; i++) {
                for (int j = 0; j <= i; j++) A[i * k + j] += (double)y[i] * y[j];
                b[i] += e * y[i];
            }
        }
        for (int i = 0; i < k; i++) A[i * k + i] += lambda * (double)(end - beg);
        if (chol_solve(A, b, k)) { failed++; continue; }
        for (int i = 0; i < k; i++) {
            double d = b[i] - x[i];
            moved += d * d;
            x[i] = (real_t)b[i];
        }
    }
    *change = sqrt(moved);
    return failed;
}

static void fit_biases(factors_t *f, const csr_t *R, const csr_t *Rt)
{
    double s = 0.0;
    for (size_t p = 0; p < R->nnz; p++) s += R->val[p];
    f->mean = (real_t)(s / R->nnz);
    for (idx_t i = 0; i < Rt->nrow; i++) {
        double b = 0.0;
        for (size_t p = Rt->ptr[i]; p < Rt->ptr[i + 1]; p++) b += Rt->val[p] - f->mean;
        f->bi[i] = (real_t)(b / (10.0 + (Rt->ptr[i + 1] - Rt->ptr[i])));
    }
    for (idx_t u = 0; u < R->nrow; u++) {
        double b = 0.0;
        for (size_t p = R->ptr[u]; p < R->ptr[u + 1]; p++) b += R->val[p] - f->mean - f->bi[R->col[p]];
        f->bu[u] = (real_t)(b / (5.0 + (R->ptr[u + 1] - R->ptr[u])));
    }
}

static double rmse(const factors_t *f, const rating_t *t, size_t n, double *worst)
{
    double sse = 0.0, mx = 0.0;
    /* OMP: parallel for reduction(+:sse) reduction(max:mx) */
    for (size_t k = 0; k < n; k++) {
        double p = predict(f, t[k].u, t[k].i), e;
        if (p < 1.0) p = 1.0; else if (p > 5.0) p = 5.0;
        e = fabs(p - t[k].r);
        sse += e * e;
        if (e > mx) mx = e;
    }
    *worst = mx;
    return sqrt(sse / n);
}

/* sequential by nature: every update feeds the next */
static void sgd_epoch(factors_t *f, const rating_t *t, size_t n, real_t lr, real_t reg)
{
    for (const rating_t *q = t; q < t + n; q++) {
        real_t *pu = URow(f, q->u), *qi = VRow(f, q->i);
        real_t e = q->r - predict(f, q->u, q->i);
        f->bu[q->u] += lr * (e - reg * f->bu[q->u]);
        f->bi[q->i] += lr * (e - reg * f->bi[q->i]);
        for (int k = 0; k < f->rank; k++) {
            real_t a = pu[k], b = qi[k];
            pu[k] += lr * (e * b - reg * a);
            qi[k] += lr * (e * a - reg * b);
        }
    }
}

static int push_top(rec_t *top, int n, idx_t item, real_t score)
{
    int p;
    if (n == TOPN && score <= top[n - 1].score) return n;
    p = n < TOPN ? n++ : n - 1;
    while (p > 0 && top[p - 1].score < score) { top[p] = top[p - 1]; p--; }
    top[p].item = item;
    top[p].score = score;
    return n;
}

static uint64_t recommend(const factors_t *f, const csr_t *R, rec_t (*lists)[TOPN], uint32_t *shown)
{
    uint64_t pushed = 0;
    /* OMP: parallel for schedule(dynamic,16) reduction(+:pushed) */
    for (idx_t u = 0; u < f->nuser; u++) {
        char *seen = xcalloc(f->nitem, 1);
        int n = 0;
        for (size_t p = R->ptr[u]; p < R->ptr[u + 1]; p++) seen[R->col[p]] = 1;
        for (idx_t i = 0; i < f->nitem; i++) {
            if (seen[i]) continue;
            n = push_top(lists[u], n, i, predict(f, u, i));
            pushed++;
        }
        for (; n < TOPN; n++) lists[u][n].item = -1;
        free(seen);
    }
    for (idx_t u = 0; u < f->nuser; u++)
        for (int k = 0; k < TOPN && lists[u][k].item >= 0; k++)
            shown[lists[u][k].item]++;
    return pushed;
}

int main(int argc, char **argv)
{
    idx_t nu = argc > 1 ? atoi(argv[1]) : 10000, ni = argc > 2 ? atoi(argv[2]) : 2500;
    int k = argc > 3 ? atoi(argv[3]) : 24, iters = argc > 4 ? atoi(argv[4]) : 10, bad = 0;
    if (nu < 10 || ni < 2 * TOPN || k < 1 || k > MAXRANK) {
        fprintf(stderr, "usage: %s [users [items [rank<=%d [iters]]]]\n", argv[0], MAXRANK);
        return 1;
    }
    size_t per = ni / 20 < 60 ? ni / 20 + 1 : 60, n = 0, ntest = 0;
    rating_t *train = xcalloc((size_t)nu * per, sizeof *train), *test = xcalloc((size_t)nu * per, sizeof *test);
    real_t *tu = xcalloc((size_t)nu * 4, sizeof *tu), *ti = xcalloc((size_t)ni * 4, sizeof *ti);
    for (idx_t q = 0; q < nu * 4; q++) tu[q] = gauss();
    for (idx_t q = 0; q < ni * 4; q++) ti[q] = gauss();
    for (idx_t u = 0; u < nu; u++)
        for (size_t c = per / 4 + (size_t)(uni() * per * 0.75); c > 0; c--) {
            idx_t i = (idx_t)(ni * uni() * uni());                       /* popularity skew */
            double r = floor(3.5 + 0.6 * dot(tu + 4 * u, ti + 4 * i, 4) + 0.4 * gauss() + 0.5);
            rating_t t = { u, i, r < 1 ? 1 : r > 5 ? 5 : r };
            if (uni() < 0.1) test[ntest++] = t; else train[n++] = t;
        }
    csr_t R, Rt;
    to_csr(train, n, nu, ni, 0, &R);
    to_csr(train, n, ni, nu, 1, &Rt);
    factors_t f = { .rank = k, .nuser = nu, .nitem = ni };
    f.U = xcalloc((size_t)nu * k, sizeof *f.U); f.V = xcalloc((size_t)ni * k, sizeof *f.V);
    f.bu = xcalloc(nu, sizeof *f.bu); f.bi = xcalloc(ni, sizeof *f.bi);
    for (size_t q = 0; q < (size_t)ni * k; q++) f.V[q] = 0.1f * gauss();
    fit_biases(&f, &R, &Rt);

    double du = 0.0, dv = 0.0, worst, e = 0.0;
    for (int it = 0; it < iters; it++) {
        bad += als_side(&R, f.U, f.V, f.bu, f.bi, f.mean, k, 0.08, &du);
        bad += als_side(&Rt, f.V, f.U, f.bi, f.bu, f.mean, k, 0.08, &dv);
        e = rmse(&f, train, n, &worst);
    }
    printf("ratings %zu/%zu als train %.5e dU %.4e dV %.4e bad %d\n", n, ntest, e, du, dv, bad);
    sgd_epoch(&f, train, n, 0.005f, 0.05f);
    e = rmse(&f, test, ntest, &worst);
    printf("test rmse %.5e worst %.5e\n", e, worst);

    rec_t (*lists)[TOPN] = xcalloc(nu, sizeof *lists);
    uint32_t *shown = xcalloc(ni, sizeof *shown);
    uint64_t pushed = recommend(&f, &R, lists, shown);
    idx_t pop = 0, cover = 0;
    for (idx_t i = 0; i < ni; i++) { cover += shown[i] > 0; if (shown[i] > shown[pop]) pop = i; }
    double s = 0.0;
    for (idx_t u = 0; u < nu; u++) for (int j = 0; j < TOPN; j++) if (lists[u][j].item >= 0) s += lists[u][j].score;
    printf("scored %llu cover %d top item %d x%u sum %.5e\n", (unsigned long long)pushed, cover, pop, shown[pop], s);
    free_csr(&R); free_csr(&Rt);
    free(train); free(test); free(tu); free(ti); free(lists); free(shown);
    free(f.U); free(f.V); free(f.bu); free(f.bi);
    return 0;
}

/* quant.c -- nightly risk batch on a synthetic price history */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <stdint.h>

#define N_INST       320
#define N_DAYS       1500
#define N_FACTORS    3
#define ANNUAL       252.0
typedef struct { double *data; int len; } Series;

typedef enum { K_EQUITY, K_FUTURE, K_BOND } Kind;

typedef struct {
    char   ticker[16];
    Kind   kind;
    union {
        struct { double dividend;  } eq;
        struct { int roll; double basis; } fut;
        struct { double coupon, duration; } bond;
    } terms;
    struct { Series px, ret, vol, z, ewma; } ts;
    struct {
        double beta[N_FACTORS + 1], r2, maxDD, sharpe, var95;
        int    ddDays, breaches;
    } risk;
} Instrument;

typedef struct {
    int        n;
    Instrument *inst;
    Series     factor[N_FACTORS];
    double   **corr, *weights;           /* corr: n row pointers */
} Book;

typedef struct { int volWindow, zWindow, halfLife; double limit; } Config;
typedef int (*AnalyticFn)(const Book *bk, Instrument *in, const Config *cfg);

static double gauss(uint64_t *st)
{
    double s = 0.0;
    for (int i = 0; i < 6; i++) {
        *st = *st * 6364136223846793005ULL + 1442695040888963407ULL;
        s += (double)(*st >> 33) / 2147483648.0;
    }
    return (s - 3.0) * 1.41421356237;
}

static int series_init(Series *s, int len)
{
    s->len = len;
    return (s->data = (double *)calloc(len, sizeof(double))) != NULL;
}

static void simulate(const Book *bk, Instrument *in, int id)
{
    uint64_t st = 777 + 7919ULL * id;
    double px = 50.0 + id % 70, load[N_FACTORS];
    int t, f;

    snprintf(in->ticker, sizeof in->ticker, "%s%03d", id % 3 == 0 ? "EQ" : id % 3 == 1 ? "FU" : "BD", id);
    in->kind = (Kind)(id % 3);
    switch (in->kind) {
    case K_EQUITY: in->terms.eq.dividend = 0.0001 * (id % 5);                    break;
    case K_FUTURE: in->terms.fut.roll = 60 + id % 9; in->terms.fut.basis = 0.001; break;
    case K_BOND:   in->terms.bond.coupon = 0.03; in->terms.bond.duration = 2.0 + id % 8; break;
    }
    for (f = 0; f < N_FACTORS; f++) load[f] = 0.5 + 0.4 * gauss(&st);
    for (t = 0; t < in->ts.px.len; t++) {
        double r = 0.012 * gauss(&st);
        for (f = 0; f < N_FACTORS; f++) r += load[f] * bk->factor[f].data[t];
        if (in->kind == K_BOND) r *= 0.1 * in->terms.bond.duration;
        if (in->kind == K_FUTURE && t % in->terms.fut.roll == 0) r += in->terms.fut.basis;
        px *= exp(r);
        in->ts.px.data[t] = px;
    }
}

static int an_returns(const Book *bk, Instrument *in, const Config *cfg)
{
    const double *p = in->ts.px.data;
    double *r = in->ts.ret.data, carry = 0.0;
    int t;
    (void)bk; (void)cfg;
    if (in->kind == K_EQUITY) carry = in->terms.eq.dividend;
    else if (in->kind == K_BOND) carry = in->terms.bond.coupon / ANNUAL;
    for (t = 1; t < in->ts.px.len; t++)
        r[t] = log(p[t] / p[t - 1]) + carry;
    return 0;
}

static int an_rolling(const Book *bk, Instrument *in, const Config *cfg)
{
    const double *r = in->ts.ret.data;
    int w = cfg->volWindow, t, k;
    double decay = exp2(-1.0 / cfg->halfLife), e = 0.0;
    (void)bk;
    if (w < 2 || cfg->zWindow < 2) return -1;
    for (t = w; t < in->ts.ret.len; t++) {
        double m = 0.0, v = 0.0;
        for (k = t - w + 1; k <= t; k++) m += r[k];
        m /= w;
        for (k = t - w + 1; k <= t; k++) v += (r[k] - m) * (r[k] - m);
        in->ts.vol.data[t] = sqrt(v / (w - 1) * ANNUAL);
    }
    for (t = 1; t < in->ts.ret.len; t++) {        /* running sums for the z-score */
        e = decay * e + (1.0 - decay) * r[t] * r[t];
        in->ts.ewma.data[t] = sqrt(e * ANNUAL);
    }
    double s1 = 0.0, s2 = 0.0;
    for (t = 0; t < in->ts.px.len; t++) {
        double x = in->ts.px.data[t];
        s1 += x; s2 += x * x;
        if (t >= cfg->zWindow) {
            double old = in->ts.px.data[t - cfg->zWindow], mu = (s1 -= old) / cfg->zWindow;
            double sd = sqrt(fabs((s2 -= old * old) / cfg->zWindow - mu * mu)) + 1e-9;
            in->ts.z.data[t] = (x - mu) / sd;
        }
    }
    return 0;
}

static int an_regress(const Book *bk, Instrument *in, const Config *cfg)
{
    enum { K = N_FACTORS + 1 };
    double a[K][K + 1] = {{0}}, x[K], sy = 0, syy = 0, sse = 0;
    int t, i, j, k, n = in->ts.ret.len;
    (void)cfg;
    for (t = 1; t < n; t++) {
        double y = in->ts.ret.data[t];
        x[0] = 1.0;
        for (i = 1; i < K; i++) x[i] = bk->factor[i - 1].data[t];
        for (i = 0; i < K; a[i][K] += x[i] * y, i++)
            for (j = 0; j < K; j++) a[i][j] += x[i] * x[j];
        sy += y; syy += y * y;
    }
    for (k = 0; k < K; k++) {
        if (fabs(a[k][k]) < 1e-14) return -2;
        for (i = k + 1; i < K; i++) {
            double f = a[i][k] / a[k][k];
            for (j = k; j <= K; j++) a[i][j] -= f * a[k][j];
        }
    }
    for (k = K - 1; k >= 0; k--) {
        double s = a[k][K];
        for (j = k + 1; j < K; j++) s -= a[k][j] * in->risk.beta[j];
        in->risk.beta[k] = s / a[k][k];
    }
    for (t = 1; t < n; t++) {
        double e = in->ts.ret.data[t] - in->risk.beta[0];
        for (i = 1; i < K; i++) e -= in->risk.beta[i] * bk->factor[i - 1].data[t];
        sse += e * e;
    }
    in->risk.r2 = 1.0 - sse / (syy - sy * sy / (n - 1));
    return 0;
}

static int cmp_double(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int an_tail(const Book *bk, Instrument *in, const Config *cfg)
{
    int t, n = in->ts.ret.len, peakDay = 0;
    double peak = 0.0, sum = 0.0, sq = 0.0, *tmp = (double *)malloc(n * sizeof(double));
    (void)bk;
    if (!tmp) return -3;
    in->risk.breaches = 0;
    for (t = 1; t < n; t++) {
        double p = in->ts.px.data[t], r = in->ts.ret.data[t];
        if (p > peak) { peak = p; peakDay = t; }
        if (1.0 - p / peak > in->risk.maxDD) { in->risk.maxDD = 1.0 - p / peak; in->risk.ddDays = t - peakDay; }
        if (fabs(r) * sqrt(ANNUAL) > cfg->limit * in->ts.ewma.data[t - 1] && t > 50) in->risk.breaches++;
        sum += r; sq += r * r;
    }
    in->risk.sharpe = sum / (n - 1) * ANNUAL / sqrt(sq / (n - 1) * ANNUAL);
    memcpy(tmp, in->ts.ret.data, n * sizeof(double));
    qsort(tmp, n, sizeof(double), cmp_double);
    in->risk.var95 = -tmp[n / 20];
    free(tmp);
    return 0;
}

static const AnalyticFn pipeline[] = { an_returns, an_rolling, an_regress, an_tail, NULL };

static void correlations(Book *bk)
{
    int i, j, t;
    /* OMP: parallel for private(j, t) schedule(dynamic, 4) */
    for (i = 0; i < bk->n; i++) {
        for (j = 0; j <= i; j++) {
            const double *x = bk->inst[i].ts.ret.data, *y = bk->inst[j].ts.ret.data;
            double sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0;
            int n = bk->inst[i].ts.ret.len;
            for (t = 1; t < n; t++) {
                sx += x[t];         sy += y[t];
                sxx += x[t] * x[t]; syy += y[t] * y[t]; sxy += x[t] * y[t];
            }
            n--;
            bk->corr[i][j] = bk->corr[j][i] = (sxy - sx * sy / n) / sqrt((sxx - sx * sx / n) * (syy - sy * sy / n));
        }
    }
}

/* projected Gauss-Seidel for  min w'Cw,  w >= 0; returns sweeps used */
static int min_variance(Book *bk, double ridge, int maxSweeps)
{
    int i, j, it;
    for (i = 0; i < bk->n; i++) bk->weights[i] = 1.0;
    for (it = 0; it < maxSweeps; it++) {
        double move = 0.0;
        for (i = 0; i < bk->n; i++) {
            double g = -1.0, w;
            for (j = 0; j < bk->n; j++) if (j != i) g += bk->corr[i][j] * bk->weights[j];
            w = fmax(0.0, -g / (bk->corr[i][i] + ridge));
            move = fmax(move, fabs(w - bk->weights[i]));
            bk->weights[i] = w;
        }
        if (move < 1e-10) break;
    }
    return it;
}

int main(void)
{
    const Config cfg = { 60, 120, 20, 3.0 };
    Book bk = { 0 };
    Instrument *worst;
    int i, f, t, rc = 1, errors = 0, sweeps, breaches = 0;
    double agg[8] = { 0 }, wsum = 0;
    uint64_t st = 4242;

    bk.n = N_INST;
    bk.inst = (Instrument *)calloc(bk.n, sizeof(Instrument));
    bk.corr = (double **)calloc(bk.n, sizeof(double *));
    bk.weights = (double *)calloc(bk.n, sizeof(double));
    if (!bk.inst || !bk.corr || !bk.weights) goto cleanup;
    for (f = 0; f < N_FACTORS; f++) {
        if (!series_init(&bk.factor[f], N_DAYS)) goto cleanup;
        for (t = 0; t < N_DAYS; t++) bk.factor[f].data[t] = 0.006 * gauss(&st);
    }
    for (i = 0; i < bk.n; i++) {
        Instrument *in = &bk.inst[i];
        if (!(bk.corr[i] = (double *)calloc(bk.n, sizeof(double)))) goto cleanup;
        if (!series_init(&in->ts.px, N_DAYS) || !series_init(&in->ts.ret, N_DAYS) || !series_init(&in->ts.vol, N_DAYS)
            || !series_init(&in->ts.z, N_DAYS) || !series_init(&in->ts.ewma, N_DAYS)) goto cleanup;
        simulate(&bk, in, i);
    }
    /* OMP: parallel for schedule(dynamic, 4) reduction(+:errors) */
    for (i = 0; i < bk.n; i++) {
        for (int k = 0; pipeline[k]; k++)
            if (pipeline[k](&bk, &bk.inst[i], &cfg) != 0) { errors++; break; }
    }
    correlations(&bk);
    sweeps = min_variance(&bk, 0.05, 200);
    worst = bk.inst;
    for (i = 0; i < bk.n; i++) {
        Instrument *in = &bk.inst[i];
        agg[0] += in->risk.r2;     agg[1] += in->risk.beta[1];    agg[2] += in->risk.maxDD;
        agg[3] += in->risk.sharpe; agg[4] += in->risk.var95;      agg[5] += in->ts.vol.data[N_DAYS - 1];
        agg[6] += in->ts.z.data[N_DAYS - 1]; agg[7] += bk.corr[i][(i * 7) % bk.n];
        breaches += in->risk.breaches; wsum += bk.weights[i];
        if (in->risk.maxDD > worst->risk.maxDD) worst = in;
    }
    for (i = 0; i < 8; i++) printf("%s%.6g", i ? " " : "agg ", agg[i]);
    printf("\nerrors %d breaches %d sweeps %s weights %.5g worst %s %d\n", errors, breaches,
           sweeps < 200 ? "converged" : "max", wsum, worst->ticker, worst->risk.ddDays);
    rc = 0;
cleanup:
    for (i = 0; bk.inst && bk.corr && i < bk.n; i++) {
        Instrument *in = &bk.inst[i];
        free(in->ts.px.data); free(in->ts.ret.data); free(in->ts.vol.data); free(in->ts.z.data);
        free(in->ts.ewma.data); free(bk.corr[i]);
    }
    for (f = 0; f < N_FACTORS; f++) free(bk.factor[f].data);
    free(bk.inst); free(bk.corr); free(bk.weights);
    return rc;
}

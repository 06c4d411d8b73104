/* pricer - revalue a small equity option book: CRR lattice for the American
 * vanillas, plain Monte Carlo for Asian/barrier, Longstaff-Schwartz check. */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <math.h>

enum style { PUT, CALL, STRADDLE, N_STYLE };

typedef double (*payoff_fn)(double s, double k);

typedef struct {
    double spot, strike, rate, vol, expiry;
    enum style style;
} contract;

typedef struct { double price, delta, gamma; int bad; } quote;

typedef struct { uint64_t s; double spare; int has_spare; } rng_t;

typedef struct { double mean, sd_err, worst; long knocked; } mc_result;

static double pay_put(double s, double k)      { return s < k ? k - s : 0.0; }
static double pay_call(double s, double k)     { return s > k ? s - k : 0.0; }
static double pay_straddle(double s, double k) { return fabs(s - k); }
static const payoff_fn payoff[N_STYLE] = { pay_put, pay_call, pay_straddle };

static void *xmalloc(size_t n)
{
    void *p = malloc(n);
    if (!p) { fprintf(stderr, "pricer: cannot allocate %zu bytes\n", n); exit(EXIT_FAILURE); }
    return p;
}

/* one independent stream per path */
static void rng_seed(rng_t *r, uint64_t stream)
{
    uint64_t z = stream * 0x9E3779B97F4A7C15ull + 0xD1B54A32D192ED03ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    r->s = z ^ (z >> 31);
    r->has_spare = 0;
}

static double rng_u01(rng_t *r)
{
    r->s = r->s * 6364136223846793005ull + 1442695040888963407ull;
    return ((r->s >> 11) + 0.5) * (1.0 / 9007199254740992.0);
}

static double rng_normal(rng_t *r)
{
    double u, v, q;
    if (r->has_spare) { r->has_spare = 0; return r->spare; }
    do {
        u = 2.0 * rng_u01(r) - 1.0;
        v = 2.0 * rng_u01(r) - 1.0;
        q = u * u + v * v;
    } while (q >= 1.0 || q == 0.0);
    q = sqrt(-2.0 * log(q) / q);
    r->spare = v * q;
    r->has_spare = 1;
    return u * q;
}

/* ------------------------------------------------------------------ lattice */

static void crr_price(const contract *c, int n, quote *out)
{
    const double dt = c->expiry / n, u = exp(c->vol * sqrt(dt)), d = 1.0 / u;
    const double p = (exp(c->rate * dt) - d) / (u - d), disc = exp(-c->rate * dt);
    const payoff_fn pay = payoff[c->style];

    out->bad = p <= 0.0 || p >= 1.0;
    out->price = out->delta = out->gamma = 0.0;
    if (out->bad)
        return;

    double *v  = xmalloc((size_t)(n + 1) * sizeof *v);
    double *ex = xmalloc((size_t)(2 * n + 1) * sizeof *ex);   /* spot*u^(j-n) exercise values */
    double s = c->spot * pow(d, n);
    for (int j = 0; j <= 2 * n; j++, s *= u)
        ex[j] = pay(s, c->strike);
    for (int j = 0; j <= n; j++)
        v[j] = ex[2 * j];
    for (int i = n - 1; i >= 0; i--) {
        const double *e = ex + (n - i);
        for (int j = 0; j <= i; j++) {
            double hold = disc * (p * v[j + 1] + (1.0 - p) * v[j]);
            v[j] = hold > e[2 * j] ? hold : e[2 * j];
        }
        if (i == 2) {
            double su = c->spot * u * u, sd = c->spot * d * d;
            double du = (v[2] - v[1]) / (su - c->spot), dd = (v[1] - v[0]) / (c->spot - sd);
            out->gamma = (du - dd) / (0.5 * (su - sd));
        } else if (i == 1)
            out->delta = (v[1] - v[0]) / (c->spot * (u - d));
    }
    out->price = v[0];
    free(ex);
    free(v);
}

static int value_book(const contract *book, quote *q, size_t n, int steps, double *pv, double *net_delta)
{
    double sum = 0.0, delta = 0.0;
    int failed = 0;
    /* OMP: parallel for schedule(dynamic,4) reduction(+:sum,delta,failed) */
    for (size_t i = 0; i < n; i++) {
        crr_price(&book[i], steps, &q[i]);
        if (q[i].bad) { failed++; continue; }
        sum += q[i].price;
        delta += q[i].delta;
    }
    *pv = sum;
    *net_delta = delta;
    return failed;
}

/* -------------------------------------------------------------- Monte Carlo */

/* arithmetic Asian call with an up-and-out barrier, antithetic pair per path */
static mc_result asian_barrier(const contract *c, long paths, int steps, double barrier)
{
    const double dt = c->expiry / steps, drift = (c->rate - 0.5 * c->vol * c->vol) * dt;
    const double vs = c->vol * sqrt(dt), df = exp(-c->rate * c->expiry), lb = log(barrier / c->spot);
    double sum = 0.0, sum2 = 0.0, worst = 0.0;
    long knocked = 0;

    /* OMP: parallel for schedule(static) reduction(+:sum,sum2,knocked) reduction(max:worst) */
    for (long i = 0; i < paths; i++) {
        rng_t r;
        double x[2] = { 0.0, 0.0 }, avg[2] = { 0.0, 0.0 }, pay = 0.0;
        int alive[2] = { 1, 1 };
        rng_seed(&r, (uint64_t)i);
        for (int t = 0; t < steps; t++) {
            double z = vs * rng_normal(&r);
            for (int k = 0; k < 2; k++) {
                if (!alive[k]) continue;
                x[k] += drift + (k ? -z : z);
                if (x[k] > lb) { alive[k] = 0; knocked++; continue; }
                avg[k] += exp(x[k]);
            }
            if (!alive[0] && !alive[1])
                break;
        }
        for (int k = 0; k < 2; k++)
            if (alive[k])
                pay += 0.5 * df * pay_call(c->spot * avg[k] / steps, c->strike);
        sum += pay;
        sum2 += pay * pay;
        if (pay > worst) worst = pay;
    }
    mc_result res;
    res.mean = sum / paths;
    res.sd_err = sqrt((sum2 / paths - res.mean * res.mean) / paths);
    res.worst = worst;
    res.knocked = knocked;
    return res;
}

static int solve3(double a[9], double b[3], double x[3])
{
    for (int k = 0; k < 3; k++) {
        if (fabs(a[4 * k]) < 1e-12) return -1;
        for (int i = k + 1; i < 3; i++) {
            double f = a[3 * i + k] / a[4 * k];
            for (int j = k; j < 3; j++) a[3 * i + j] -= f * a[3 * k + j];
            b[i] -= f * b[k];
        }
    }
    for (int i = 2; i >= 0; i--) {
        x[i] = b[i];
        for (int j = i + 1; j < 3; j++) x[i] -= a[3 * i + j] * x[j];
        x[i] /= a[4 * i];
    }
    return 0;
}

/* Longstaff-Schwartz with 1, x, x^2 on in-the-money paths */
static double lsm_put(const contract *c, int paths, int steps, long *early)
{
    const double dt = c->expiry / steps, disc = exp(-c->rate * dt);
    const double drift = (c->rate - 0.5 * c->vol * c->vol) * dt, vs = c->vol * sqrt(dt);
    float **s = xmalloc(steps * sizeof *s);               /* s[t][path] */
    double *cash = xmalloc(paths * sizeof *cash);
    for (int t = 0; t < steps; t++)
        s[t] = xmalloc(paths * sizeof **s);

    /* OMP: parallel for schedule(static) */
    for (int i = 0; i < paths; i++) {
        rng_t r;
        double x = log(c->spot);
        rng_seed(&r, 0x5EEDull + 977u * (uint64_t)i);
        for (int t = 0; t < steps; t++) {
            x += drift + vs * rng_normal(&r);
            s[t][i] = (float)exp(x);
        }
        cash[i] = pay_put(s[steps - 1][i], c->strike);
    }

    long exercised = 0;
    for (int t = steps - 2; t >= 0; t--) {
        const float *st = s[t];
        double a[9] = { 0 }, b[3] = { 0 }, w[3];
        /* OMP: parallel for schedule(static) reduction(+:a[:9],b[:3]) */
        for (int i = 0; i < paths; i++) {
            cash[i] *= disc;
            if (st[i] >= c->strike) continue;
            double x = st[i] / c->strike, phi[3] = { 1.0, x, x * x };
            for (int p = 0; p < 3; p++) {
                for (int q = 0; q < 3; q++) a[3 * p + q] += phi[p] * phi[q];
                b[p] += phi[p] * cash[i];
            }
        }
        if (a[0] < 8 || solve3(a, b, w))
            continue;
        for (int i = 0; i < paths; i++) {
            double now = c->strike - st[i], x = st[i] / c->strike;
            if (now > 0.0 && now > w[0] + x * (w[1] + x * w[2])) {
                cash[i] = now;
                exercised++;
            }
        }
    }
    double sum = 0.0;
    for (int i = 0; i < paths; i++) sum += cash[i];
    for (int t = 0; t < steps; t++) free(s[t]);
    free(s);
    free(cash);
    *early = exercised;
    return disc * sum / paths;
}

int main(int argc, char **argv)
{
    size_t ncontracts = argc > 1 ? strtoul(argv[1], NULL, 10) : 900;
    int steps = argc > 2 ? atoi(argv[2]) : 1200;
    long paths = argc > 3 ? atol(argv[3]) : 250000;
    if (ncontracts == 0 || steps < 4 || paths < 16) {
        fprintf(stderr, "usage: %s [contracts [lattice-steps [paths]]]\n", argv[0]);
        return EXIT_FAILURE;
    }
    contract *book = xmalloc(ncontracts * sizeof *book);
    quote *quotes = xmalloc(ncontracts * sizeof *quotes);
    rng_t g;
    rng_seed(&g, 42);
    for (contract *c = book; c < book + ncontracts; c++) {
        c->spot = 100.0;
        c->strike = 70.0 + 60.0 * rng_u01(&g);
        c->rate = 0.01 + 0.05 * rng_u01(&g);
        c->vol = rng_u01(&g) < 0.02 ? 0.0004 : 0.1 + 0.4 * rng_u01(&g);   /* some stale vols */
        c->expiry = 0.25 + 2.0 * rng_u01(&g);
        c->style = (enum style)((int)(rng_u01(&g) * N_STYLE));
    }
    double pv, delta, gmax = 0.0;
    size_t hot = 0;
    int failed = value_book(book, quotes, ncontracts, steps, &pv, &delta);
    for (size_t i = 0; i < ncontracts; i++)
        if (quotes[i].gamma > gmax) { gmax = quotes[i].gamma; hot = i; }
    printf("book pv %.6e delta %.6e failed %d max gamma %.6e at %zu\n", pv, delta, failed, gmax, hot);

    const contract ref = { 100.0, 100.0, 0.04, 0.25, 1.0, PUT };
    mc_result m = asian_barrier(&ref, paths, 100, 140.0);
    printf("asian %.6e err %.6e max %.6e knocked %ld\n", m.mean, m.sd_err, m.worst, m.knocked);
    long early;
    double l = lsm_put(&ref, (int)(paths / 2), 50, &early);
    printf("lsm put %.6e early %ld\n", l, early);
    free(quotes);
    free(book);
    return 0;
}

/*
 * varann - guarantees of unit-linked life policies.
 *
 * Economic scenarios (Vasicek short rate, lognormal fund) value a portfolio of
 * policies with guaranteed minimum death and maturity benefits. The puts that
 * hedge them are priced on binomial trees, and an Asian-style ratchet option by
 * plain Monte Carlo with antithetic paths.
 *
 *   varann [scenarios] [policies] [hedge options]
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum sex { MALE, FEMALE, N_SEXES };
enum { MAX_AGE = 120, MAX_TERM = 25, MONTHS = 12, MAX_TREE = 600 };

struct policy {
    unsigned char age, term, sex;
    double fund;                /* account value today */
    double guarantee;
    double fee;                 /* charged on the fund every year */
};

struct hedge {
    double strike, years;
    int american;
    struct { double price, delta; } out;
};

struct market {
    double spot, vol, rate;
    struct { double speed, level, vol, corr; } shortrate;
};

struct rng {
    uint64_t s;
    double spare;
    int has_spare;
};

/* ---- random numbers: one independent stream per path ---- */

static uint64_t splitmix(uint64_t *s)
{
    uint64_t z = (*s += 0x9e3779b97f4a7c15u);

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void rng_start(struct rng *r, uint64_t stream)
{
    r->s = stream * 0xd1342543de82ef95u + 12345;
    r->s = splitmix(&r->s);
    r->has_spare = 0;
}

static double rng_uniform(struct rng *r)
{
    return (double)(splitmix(&r->s) >> 11) * 0x1p-53;
}

/* polar method */
static double rng_normal(struct rng *r)
{
    double a, b, q;

    if (r->has_spare) {
        r->has_spare = 0;
        return r->spare;
    }
    do {
        a = 2.0 * rng_uniform(r) - 1.0;
        b = 2.0 * rng_uniform(r) - 1.0;
        q = a * a + b * b;
    } while (q >= 1.0 || q == 0.0);
    q = sqrt(-2.0 * log(q) / q);
    r->spare = b * q;
    r->has_spare = 1;
    return a * q;
}

static void *need(void *p)
{
    if (p == NULL) {
        perror("varann");
        exit(EXIT_FAILURE);
    }
    return p;
}

/* ---- liabilities ---- */

static double qx[N_SEXES][MAX_AGE + 1];

/* Gompertz-Makeham, closed at MAX_AGE */
static void fill_mortality(void)
{
    static const double b[N_SEXES] = { 4.0e-5, 2.2e-5 };

    for (int s = 0; s < N_SEXES; s++) {
        for (int x = 0; x < MAX_AGE; x++) {
            double q = 3.0e-4 + b[s] * pow(1.098, x);
            qx[s][x] = q < 1.0 ? q : 1.0;
        }
        qx[s][MAX_AGE] = 1.0;
    }
}

static void make_policies(struct policy *p, int n)
{
    struct rng r;

    rng_start(&r, 7);
    while (n-- > 0) {
        p->age = (unsigned char)(30 + 35 * rng_uniform(&r));
        p->term = (unsigned char)(5 + (MAX_TERM - 5) * rng_uniform(&r));
        p->sex = rng_uniform(&r) < 0.5 ? MALE : FEMALE;
        p->fund = 5000.0 * exp(rng_normal(&r));
        p->guarantee = p->fund * (0.8 + 0.5 * rng_uniform(&r));
        p->fee = 0.005 + 0.01 * rng_uniform(&r);
        p++;
    }
}

/* fund[s][t] and disc[s][t]: index and discount factor after t years */
static void run_scenarios(const struct market *m, int n, double **fund, double **disc)
{
    const double dt = 1.0 / MONTHS, rdt = sqrt(dt);
    const double rho = m->shortrate.corr, rho2 = sqrt(1.0 - rho * rho);
    int s;

    /* OMP: parallel for schedule(static) */
    for (s = 0; s < n; s++) {
        struct rng r;
        double x = 0.0, rate = m->rate, acc = 0.0;
        int t, k;

        rng_start(&r, 1000u + (uint64_t)s);
        fund[s][0] = disc[s][0] = 1.0;
        for (t = 1; t <= MAX_TERM; t++) {
            for (k = 0; k < MONTHS; k++) {
                double z1 = rng_normal(&r), z2 = rng_normal(&r);

                x += (rate - 0.5 * m->vol * m->vol) * dt + m->vol * rdt * z1;
                acc += rate * dt;
                rate += m->shortrate.speed * (m->shortrate.level - rate) * dt
                      + m->shortrate.vol * rdt * (rho * z1 + rho2 * z2);
            }
            fund[s][t] = exp(x);
            disc[s][t] = exp(-acc);
        }
    }
}

/* what one policy costs beyond its fund in one scenario */
static double policy_cost(const struct policy *p, const double *fund, const double *disc)
{
    double alive = 1.0, keep = 1.0, cost = 0.0;
    const double *q = &qx[p->sex][p->age];
    int t;

    for (t = 1; t <= p->term; t++) {
        double account, dying = alive * *q++;

        cost -= alive * keep * p->fee * p->fund * fund[t - 1] * disc[t - 1];
        keep *= 1.0 - p->fee;
        account = p->fund * fund[t] * keep;
        if (account < p->guarantee)
            cost += dying * (p->guarantee - account) * disc[t];
        alive -= dying;
        if (t == p->term && account < p->guarantee)
            cost += alive * (p->guarantee - account) * disc[t];
    }
    return cost;
}

static int descending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x < y) - (x > y);
}

static void value_portfolio(const struct policy *pol, int npol, double **fund, double **disc,
                            int nscn, double *mean, double *cte)
{
    double *loss = need(malloc((size_t)nscn * sizeof *loss));
    int s, worst = nscn / 20 > 0 ? nscn / 20 : 1;

    /* OMP: parallel for schedule(static) */
    for (s = 0; s < nscn; s++) {
        double sum = 0.0;

        for (int i = 0; i < npol; i++)
            sum += policy_cost(pol + i, fund[s], disc[s]);
        loss[s] = sum;
    }
    qsort(loss, (size_t)nscn, sizeof *loss, descending);
    *mean = *cte = 0.0;
    for (s = nscn; s-- > 0;)
        *mean += loss[s] / nscn;
    for (s = 0; s < worst; s++)
        *cte += loss[s] / worst;
    free(loss);
}

/* ---- hedges ---- */

/* Cox-Ross-Rubinstein put, up to a weekly-ish step */
static void price_put(const struct market *m, struct hedge *h)
{
    double v[MAX_TREE + 1];
    int steps = 80 + (int)(52.0 * h->years);
    double dt, u, pu, pd, df;

    if (steps > MAX_TREE)
        steps = MAX_TREE;
    dt = h->years / steps;
    u = exp(m->vol * sqrt(dt));
    df = exp(-m->rate * dt);
    pu = (1.0 / df - 1.0 / u) / (u - 1.0 / u);
    pd = df * (1.0 - pu);
    pu *= df;
    for (int i = 0; i <= steps; i++) {
        double pay = h->strike - m->spot * pow(u, 2 * i - steps);
        v[i] = pay > 0.0 ? pay : 0.0;
    }
    for (int n = steps - 1; n >= 0; n--) {
        double s = m->spot * pow(u, -n);

        for (int i = 0; i <= n; i++, s *= u * u) {
            v[i] = pu * v[i + 1] + pd * v[i];
            if (h->american && h->strike - s > v[i])
                v[i] = h->strike - s;
        }
        if (n == 1)
            h->out.delta = (v[1] - v[0]) / (m->spot * (u - 1.0 / u));
    }
    h->out.price = v[0];
}

/* average of monthly values against the lowest of them */
static double ratchet_option(const struct market *m, long paths, int months, double *stderr_out)
{
    const double drift = (m->rate - 0.5 * m->vol * m->vol) / MONTHS;
    const double sd = m->vol / sqrt(MONTHS), df = exp(-m->rate * months / MONTHS);
    double sum = 0.0, sum2 = 0.0;

    /* OMP: parallel for reduction(+:sum,sum2) schedule(static) */
    for (long i = 0; i < paths; i++) {
        struct rng r;
        double s[2] = { m->spot, m->spot }, avg[2] = { 0 }, low[2] = { m->spot, m->spot };
        double pay;

        rng_start(&r, 5000000u + (uint64_t)i);
        for (int k = 0; k < months; k++) {
            double z = sd * rng_normal(&r);

            s[0] *= exp(drift + z);
            s[1] *= exp(drift - z);
            for (int a = 0; a < 2; a++) {
                avg[a] += s[a] / months;
                low[a] = fmin(low[a], s[a]);
            }
        }
        pay = 0.5 * df * (avg[0] - low[0] + avg[1] - low[1]);
        sum += pay;
        sum2 += pay * pay;
    }
    *stderr_out = sqrt((sum2 / paths - sum / paths * (sum / paths)) / paths);
    return sum / paths;
}

static double **new_table(int rows, int cols)
{
    double **t = need(malloc((size_t)rows * sizeof *t));

    for (int i = 0; i < rows; i++)
        t[i] = need(malloc((size_t)cols * sizeof **t));
    return t;
}

static void free_table(double **t, int rows)
{
    while (rows-- > 0)
        free(t[rows]);
    free(t);
}

int main(int argc, char **argv)
{
    const struct market mkt = { 100.0, 0.19, 0.025, { 0.15, 0.03, 0.008, -0.2 } };
    int nscn = argc > 1 ? atoi(argv[1]) : 3000;
    int npol = argc > 2 ? atoi(argv[2]) : 500;
    int nhedge = argc > 3 ? atoi(argv[3]) : 120;
    double mean, cte, err, ratchet, book = 0.0, delta = 0.0;

    if (nscn < 1 || npol < 1 || nhedge < 1) {
        fprintf(stderr, "usage: %s [scenarios] [policies] [hedge options]\n", *argv);
        return EXIT_FAILURE;
    }
    struct policy *pol = need(calloc((size_t)npol, sizeof *pol));
    struct hedge *hedges = need(calloc((size_t)nhedge, sizeof *hedges));
    double **fund = new_table(nscn, MAX_TERM + 1), **disc = new_table(nscn, MAX_TERM + 1);

    fill_mortality();
    make_policies(pol, npol);
    run_scenarios(&mkt, nscn, fund, disc);
    value_portfolio(pol, npol, fund, disc, nscn, &mean, &cte);
    printf("liability  mean %.6g  cte95 %.6g\n", mean, cte);

    for (int i = 0; i < nhedge; i++) {
        hedges[i].strike = 80.0 + 40.0 * ((i * 7) % 11) / 10.0;
        hedges[i].years = 0.5 + 9.5 * i / nhedge;
        hedges[i].american = i % 3 == 0;
    }
    /* OMP: parallel for schedule(dynamic) */
    for (int i = 0; i < nhedge; i++)
        price_put(&mkt, &hedges[i]);
    for (const struct hedge *h = hedges; h < hedges + nhedge; h++) {
        book += h->out.price;
        delta += h->out.delta;
    }
    printf("hedges     book %.6g  delta %.6g\n", book, delta);

    ratchet = ratchet_option(&mkt, 20L * nscn, 36, &err);
    printf("ratchet    %.6g +- %.2g\n", ratchet, err);

    free_table(disc, nscn);
    free_table(fund, nscn);
    free(hedges);
    free(pol);
    return EXIT_SUCCESS;
}

/*
 * riskbook.c - overnight batch for a book of equity options.
 * Curve bootstrap, CRR tree pricing with greeks, historical VaR, desk report.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_POS    3000
#define N_UND    40
#define N_SCEN   750
#define N_DESK   5
#define N_CURVE  40
#define MAXSTEP  240

typedef double (*payoff_fn)(double s, double k);

typedef struct {
    char      id[12];
    char      style;              /* 'A' or 'E' */
    uint8_t   desk;
    int16_t   und;
    int       qty;
    double    strike, expiry, vol;
    payoff_fn payoff;
    double    price, delta, gamma;
    bool      stale;
} position;

typedef struct { double t, zero; } curve_pt;

typedef struct {
    position *pos;
    int       n_pos;
    double    spot[N_UND];
    float     shock[N_SCEN][N_UND];
    curve_pt  curve[N_CURVE];
} market_book;

typedef struct { double mtm, delta, longest; int n, american; } desk_line;

static uint32_t lcg = 20230615u;
static double uni(void)
{
    lcg = lcg * 1664525u + 1013904223u;
    return (lcg >> 8) / 16777216.0;
}

static double pay_call(double s, double k) { return s > k ? s - k : 0.0; }
static double pay_put(double s, double k)  { return k > s ? k - s : 0.0; }
static double pay_straddle(double s, double k) { return fabs(s - k); }
static const payoff_fn payoffs[] = { pay_call, pay_put, pay_straddle };

/* par swap rates to zero rates, annual pillars; each needs all before it */
static void bootstrap(curve_pt *c, int n)
{
    double annuity = 0;
    for (int i = 0; i < n; i++) {
        double par = 0.02 + 0.015 * (1 - exp(-0.15 * (i + 1)));
        double df = (1 - par * annuity) / (1 + par);
        annuity += df;
        c[i].t = i + 1;
        c[i].zero = -log(df) / (i + 1);
    }
}

static double zero_rate(const curve_pt *c, int n, double t)
{
    if (t <= c[0].t) return c[0].zero;
    for (int i = 1; i < n; i++)
        if (t <= c[i].t) {
            double f = (t - c[i - 1].t) / (c[i].t - c[i - 1].t);
            return c[i - 1].zero + f * (c[i].zero - c[i - 1].zero);
        }
    return c[n - 1].zero;
}

static double crr(int steps, double v[steps + 1], const position *p, double s0, double r, double out[2])
{
    double dt = p->expiry / steps, u = exp(p->vol * sqrt(dt)), d = 1 / u;
    double disc = exp(-r * dt), pu = (1 / disc - d) / (u - d);
    double a = disc * pu, b = disc * (1 - pu), uu = u * u;
    double s = s0 * pow(d, steps);
    for (int i = 0; i <= steps; i++, s *= uu) v[i] = p->payoff(s, p->strike);
    for (int n = steps - 1; n >= 0; n--) {
        if (p->style == 'A') {
            s = s0 * pow(d, n);
            for (int i = 0; i <= n; i++, s *= uu) {
                double hold = b * v[i] + a * v[i + 1], ex = p->payoff(s, p->strike);
                v[i] = hold > ex ? hold : ex;
            }
        } else {
            for (int i = 0; i <= n; i++) v[i] = b * v[i] + a * v[i + 1];
        }
        if (n == 2) {
            double su = s0 * uu, sd = s0 * d * d;
            double du = (v[2] - v[1]) / (su - s0), dd = (v[1] - v[0]) / (s0 - sd);
            out[0] = 0.5 * (du + dd);
            out[1] = (du - dd) / (0.5 * (su - sd));
        }
    }
    return v[0];
}

static void price_book(market_book *bk)
{
    /* OMP: parallel for schedule(dynamic, 8) */
    for (int i = 0; i < bk->n_pos; i++) {
        position *p = &bk->pos[i];
        if (!p->stale) continue;
        int steps = 60 + (int)(p->expiry * 90);
        if (steps > MAXSTEP) steps = MAXSTEP;
        double v[MAXSTEP + 1], g[2] = { 0, 0 };
        p->price = crr(steps, v, p, bk->spot[p->und], zero_rate(bk->curve, N_CURVE, p->expiry), g);
        p->delta = g[0];
        p->gamma = g[1];
        p->stale = false;
    }
}

static void scenario_pnl(const market_book *bk, double *pnl)
{
    int s, i;
    /* OMP: parallel for private(i) */
    for (s = 0; s < N_SCEN; s++) {
        pnl[s] = 0;
        for (i = 0; i < bk->n_pos; i++) {
            const position *p = &bk->pos[i];
            double ds = bk->spot[p->und] * bk->shock[s][p->und];
            pnl[s] += p->qty * (p->delta * ds + 0.5 * p->gamma * ds * ds);
        }
    }
}

static int cmp_dbl(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void covariance(const market_book *bk, double cov[N_UND][N_UND])
{
    double mean[N_UND] = { 0 };
    for (int s = 0; s < N_SCEN; s++)
        for (int u = 0; u < N_UND; u++) mean[u] += bk->shock[s][u];
    for (int u = 0; u < N_UND; u++) mean[u] /= N_SCEN;
    memset(cov, 0, sizeof(double) * N_UND * N_UND);
    for (int s = 0; s < N_SCEN; s++)
        for (int u = 0; u < N_UND; u++)
            for (int w = 0; w <= u; w++)
                cov[u][w] += (bk->shock[s][u] - mean[u]) * (bk->shock[s][w] - mean[w]);
}

int main(void)
{
    static market_book bk;
    static double pnl[N_SCEN], cov[N_UND][N_UND];
    desk_line desk[N_DESK] = { { 0 } };
    bk.n_pos = N_POS;
    bk.pos = calloc(N_POS, sizeof *bk.pos);
    if (!bk.pos) return 1;
    bootstrap(bk.curve, N_CURVE);
    for (int u = 0; u < N_UND; u++) bk.spot[u] = 20 + 180 * uni();
    for (int s = 0; s < N_SCEN; s++) {
        double mkt = (uni() + uni() + uni() - 1.5) * 0.03;
        for (int u = 0; u < N_UND; u++)
            bk.shock[s][u] = (float)(mkt + (uni() + uni() - 1.0) * 0.02);
    }
    for (int i = 0; i < N_POS; i++) {
        position *p = &bk.pos[i];
        snprintf(p->id, sizeof p->id, "OPT%05d", i);
        p->style = uni() < 0.4 ? 'A' : 'E';
        p->desk = (uint8_t)(i % N_DESK);
        p->und = (int16_t)(uni() * N_UND);
        p->qty = (int)(uni() * 400) - 200;
        p->strike = bk.spot[p->und] * (0.7 + 0.6 * uni());
        p->expiry = 0.1 + 2.5 * uni();
        p->vol = 0.15 + 0.35 * uni();
        p->payoff = payoffs[i % 3];
        p->stale = true;
    }
    for (int pass = 0; pass < 4; pass++) {          /* spots tick, reprice what moved */
        price_book(&bk);
        for (int u = pass; u < N_UND; u += 3) bk.spot[u] *= 1.0 + 0.01 * (pass - 1);
        for (int i = 0; i < N_POS; i++)
            if (bk.pos[i].und % 3 == pass % 3) bk.pos[i].stale = true;
    }
    price_book(&bk);
    for (const position *p = bk.pos; p < bk.pos + bk.n_pos; p++) {
        desk_line *d = &desk[p->desk];
        d->n++;
        d->american += p->style == 'A';
        d->mtm += p->qty * p->price;
        d->delta += p->qty * p->delta * bk.spot[p->und];
        if (p->expiry > d->longest) d->longest = p->expiry;
    }
    scenario_pnl(&bk, pnl);
    qsort(pnl, N_SCEN, sizeof *pnl, cmp_dbl);
    double es = 0;
    for (int i = 0; i < N_SCEN / 40; i++) es += pnl[i];
    covariance(&bk, cov);
    double tr = 0;
    for (int u = 0; u < N_UND; u++) tr += cov[u][u];
    for (int k = 0; k < N_DESK; k++)
        printf("desk %d n %d am %d mtm %.4g delta %.4g max %.3f\n", k, desk[k].n,
               desk[k].american, desk[k].mtm, desk[k].delta, desk[k].longest);
    printf("VaR99 %.5g ES %.5g trace %.4f\n", -pnl[N_SCEN / 100], -es / (N_SCEN / 40), tr);
    free(bk.pos);
    return 0;
}

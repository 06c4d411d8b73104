/*
 * shopsim.c -- job-shop queues and stock policies by simulation.
 *              [replications] [items] [horizon]
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { STATIONS = 5, MAX_SERVERS = 4, QCAP = 128, EVCAP = STATIONS * MAX_SERVERS + 2 };
enum { WEEKS = 104, N_ALPHA = 24, N_BETA = 8, BOOT = 4000 };
enum { N_POINT = 16, N_QTY = 12, DAYS = 400, POLICY_REPS = 5 };

struct rng { uint64_t s; };
typedef double service_fn(struct rng *r, double mean);

struct station_spec {
    int servers;
    double mean;
    service_fn *draw;
    double route[STATIONS];     /* cumulative; beyond the last: leaves */
};

struct event { double t; int where; double born; };   /* where < 0: arrival */

struct station {
    int busy;
    unsigned head, tail;
    double born[QCAP];
    double area, last;  /* queue length integral */
};

struct outcome {
    unsigned done, balked;
    double flow, qlen[STATIONS];    /* means: time in system, queue lengths */
};

struct item {
    struct fit { double alpha, beta, mad; } best;
    double demand[WEEKS];
};

struct policy { int point, qty; double cost; unsigned short_days; };

static struct rng rng_make(uint64_t id) { return (struct rng){ (id + 1) * 0x2545f4914f6cdd1dULL }; }

static uint64_t rng_next(struct rng *r)
{
    uint64_t z = r->s += 0x9e3779b97f4a7c15ULL;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

static double uniform(struct rng *r) { return ((rng_next(r) >> 11) + 0.5) * 0x1p-53; }
static double expo(struct rng *r, double mean)    { return -mean * log(uniform(r)); }
static double erlang2(struct rng *r, double mean) { return expo(r, mean / 2) + expo(r, mean / 2); }
static double triang(struct rng *r, double mean)  { return mean * (uniform(r) + uniform(r)); }

static const struct station_spec shop[STATIONS] = {
    { 2, 1.50, expo,    { 0.00, 0.60, 1.00, 1.00, 1.00 } },
    { 1, 1.10, erlang2, { 0.05, 0.05, 0.55, 0.95, 0.95 } },
    { 2, 1.70, triang,  { 0.00, 0.10, 0.10, 0.50, 1.00 } },
    { 1, 0.90, erlang2, { 0.00, 0.00, 0.00, 0.00, 0.80 } },
    { 3, 1.90, expo,    { 0.04, 0.04, 0.04, 0.04, 0.04 } },
};

struct calendar { int n; struct event e[EVCAP]; };     /* binary heap */

static void schedule(struct calendar *c, double t, int where, double born)
{
    int i = c->n++;

    while (i > 0 && c->e[(i - 1) / 2].t > t) {
        c->e[i] = c->e[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    c->e[i] = (struct event){ t, where, born };
}

static struct event next_event(struct calendar *c)
{
    struct event top = c->e[0], last = c->e[--c->n];
    int i = 0, kid;

    while ((kid = 2 * i + 1) < c->n) {
        if (kid + 1 < c->n && c->e[kid + 1].t < c->e[kid].t)
            kid++;
        if (c->e[kid].t >= last.t)
            break;
        c->e[i] = c->e[kid];
        i = kid;
    }
    c->e[i] = last;
    return top;
}

static void account(struct station *s, double now)
{
    s->area += (s->tail - s->head) * (now - s->last);
    s->last = now;
}

static bool enter(struct station *st, int w, double now, double born, struct calendar *cal, struct rng *r)
{
    if (st[w].busy < shop[w].servers) {
        st[w].busy++;
        schedule(cal, now + shop[w].draw(r, shop[w].mean), w, born);
        return true;
    }
    if (st[w].tail - st[w].head == QCAP) return false;
    account(&st[w], now);
    st[w].born[st[w].tail++ % QCAP] = born;
    return true;
}

static void replicate(unsigned rep, double horizon, struct outcome *out)
{
    struct station st[STATIONS] = { 0 };
    struct calendar cal = { 0 };
    struct outcome o = { 0 };
    struct rng r = rng_make(rep);

    schedule(&cal, expo(&r, 1.0), -1, 0.0);
    for (;;) {
        struct event ev = next_event(&cal);
        if (ev.t > horizon)
            break;
        if (ev.where < 0) {
            schedule(&cal, ev.t + expo(&r, 1.0), -1, 0.0);
            o.balked += !enter(st, 0, ev.t, ev.t, &cal, &r);
            continue;
        }
        struct station *s = st + ev.where;
        const struct station_spec *spec = &shop[ev.where];
        if (s->head != s->tail) {
            account(s, ev.t);
            schedule(&cal, ev.t + spec->draw(&r, spec->mean), ev.where, s->born[s->head++ % QCAP]);
        } else
            s->busy--;
        double u = uniform(&r);
        int to = 0;
        while (to < STATIONS && u >= spec->route[to])
            to++;
        if (to == STATIONS) {
            o.flow += ev.t - ev.born;
            o.done++;
        } else
            o.balked += !enter(st, to, ev.t, ev.born, &cal, &r);
    }
    for (int i = 0; i < STATIONS; i++)
        o.qlen[i] = st[i].area / horizon;
    o.flow /= o.done ? o.done : 1;
    *out = o;
}

static int by_value(const void *a, const void *b)
{
    return *(const double *)a > *(const double *)b ? 1 : -1;
}

static void bootstrap(const struct outcome *res, int n, double *lo, double *hi)
{
    static double mean[BOOT];

    /* OMP: parallel for schedule(static) */
    for (int b = 0; b < BOOT; b++) {
        struct rng r = rng_make(1000003u + b);
        double s = 0;
        for (int i = 0; i < n; i++)
            s += res[rng_next(&r) % n].flow;
        mean[b] = s / n;
    }
    qsort(mean, BOOT, sizeof mean[0], by_value);
    *lo = mean[BOOT / 40];
    *hi = mean[BOOT - 1 - BOOT / 40];
}

/* Holt's method; mean absolute one-step error after a run-in */
static double holt_mad(const double *d, double alpha, double beta)
{
    double level = d[0], trend = 0, err = 0;

    for (int w = 1; w < WEEKS; w++) {
        double f = level + trend, e = d[w] - f;
        err += w < 12 ? 0 : fabs(e);
        level = f + alpha * e;
        trend += alpha * beta * e;
    }
    return err / (WEEKS - 12);
}

static double tune_forecasts(struct item *items, int n, double *worst)
{
    double total = 0, top = 0;

    /* OMP: parallel for reduction(+:total) reduction(max:top) */
    for (int i = 0; i < n; i++) {
        struct item *it = &items[i];
        it->best.mad = HUGE_VAL;
        for (int k = 0; k < N_ALPHA * N_BETA; k++) {
            struct fit f = { (k / N_BETA + 1) / (N_ALPHA + 1.0), k % N_BETA / 10.0, 0 };
            f.mad = holt_mad(it->demand, f.alpha, f.beta);
            if (f.mad < it->best.mad)
                it->best = f;
        }
        total += it->best.mad;
        top = it->best.mad > top ? it->best.mad : top;
    }
    *worst = top;
    return total;
}

static int poisson(struct rng *r, double expneg)
{
    int k = 0;
    for (double p = uniform(r); p > expneg; p *= uniform(r))
        k++;
    return k;
}

static void run_policy(struct policy *p, int point, int qty)
{
    double cost = 0;

    *p = (struct policy){ .point = point, .qty = qty };
    for (int rep = 0; rep < POLICY_REPS; rep++) {
        struct rng r = rng_make(77000u + rep);
        int stock = point + qty, due = -1;
        for (int day = 0; day < DAYS; day++) {
            int lead = 2 + (int)(rng_next(&r) % 5), d = poisson(&r, exp(-6.0));
            stock += due == day ? qty - d : -d;
            due = due == day ? -1 : due;
            if (stock < 0) {
                cost -= 9.0 * stock;
                p->short_days++;
                stock = 0;
            }
            cost += 0.12 * stock;
            if (due < 0 && stock <= point) {
                due = day + lead;
                cost += 35.0;
            }
        }
    }
    p->cost = cost / (POLICY_REPS * DAYS);
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 300, n_items = argc > 2 ? atoi(argv[2]) : 600;
    double horizon = argc > 3 ? atof(argv[3]) : 1200.0;
    static struct policy grid[N_POINT][N_QTY];
    struct outcome *res;
    struct item *items;

    if (reps < 2 || n_items < 1 || !(horizon > 0) || !(res = calloc(reps, sizeof *res))
        || !(items = calloc(n_items, sizeof *items)))
        return EXIT_FAILURE;

    unsigned done = 0, balked = 0;
    /* OMP: parallel for schedule(dynamic) reduction(+:done,balked) */
    for (int i = 0; i < reps; i++) {
        replicate(i, horizon, &res[i]);
        done += res[i].done;
        balked += res[i].balked;
    }
    double lo, hi, wip = 0;
    for (int i = 0; i < reps; i++)
        for (int s = 0; s < STATIONS; s++)
            wip += res[i].qlen[s] / reps;
    bootstrap(res, reps, &lo, &hi);
    printf("jobs %u balked %u flow time [%.5g, %.5g] waiting %.5g\n", done, balked, lo, hi, wip);

    struct rng r = rng_make(424242);
    for (struct item *it = items; it < items + n_items; it++) {
        double base = 40 + 200 * uniform(&r), trend = uniform(&r) - 0.4, season = 0.3 * uniform(&r);
        for (int w = 0; w < WEEKS; w++)
            it->demand[w] = trend * w + base * (0.9 + season * sin(w * (2 * M_PI / 52))
                          + 0.1 * (uniform(&r) + uniform(&r)));
    }
    double worst, total = tune_forecasts(items, n_items, &worst);
    printf("forecast error mean %.6g worst %.6g\n", total / n_items, worst);

    /* OMP: parallel for collapse(2) schedule(dynamic,4) */
    for (int p = 0; p < N_POINT; p++)
        for (int q = 0; q < N_QTY; q++)
            run_policy(&grid[p][q], 12 + 2 * p, 20 + 6 * q);
    struct policy *best = grid[0];
    for (int k = 1; k < N_POINT * N_QTY; k++)
        if (grid[k / N_QTY][k % N_QTY].cost < best->cost)
            best = &grid[k / N_QTY][k % N_QTY];
    printf("best policy: order %d at %d, cost %.6g a day, %u short days\n",
           best->qty, best->point, best->cost, best->short_days);
    free(res); free(items);
    return EXIT_SUCCESS;
}

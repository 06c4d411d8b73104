// mcbook.c: values a small equity derivatives book by Monte-Carlo simulation.
// Correlated lognormal assets, antithetic paths, one random generator per path
// (so that a path can be replayed on its own when somebody asks about it).

#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <string.h>
#include <math.h>

#define NUM_ASSETS   4
#define MAX_STEPS    64
#define MAX_INSTR    8
#define ALL_ASSETS(a) for (int a = 0; a < NUM_ASSETS; ++a)

typedef struct Rng {
    uint64_t s[2];
    double   spare;
    int      hasSpare;
} Rng;

typedef struct Market {
    double spot[NUM_ASSETS];
    double vol[NUM_ASSETS];
    double divYield[NUM_ASSETS];
    double chol[NUM_ASSETS][NUM_ASSETS];
    double rate;
} Market;

typedef enum InstrKind { IK_VANILLA, IK_BARRIER, IK_ASIAN, IK_AUTOCALL, IK_COUNT } InstrKind;

typedef struct Instrument {
    InstrKind kind;
    double    notional;
    union {
        struct { int asset; double strike; int isPut; } vanilla;
        struct { int asset; double strike, level; } barrier;
        struct { double weight[NUM_ASSETS]; double strike; } asian;
        struct { double trigger, coupon, floor; int every; } autocall;
    } u;
} Instrument;

typedef struct Book {
    Instrument *instr;
    size_t      count;
    double      horizon;
    int         steps;
} Book;

typedef struct Path {
    double s[NUM_ASSETS][MAX_STEPS + 1];
    int    steps;
    double dt;
} Path;

typedef struct Report {
    double   mean, stdErr, var99, shortfall;
    double   perInstr[MAX_INSTR];
    uint64_t knockedOut, calledEarly;
} Report;

typedef struct Events { unsigned knocked, called; } Events;

// ---------------------------------------------------------------- random numbers

static inline uint64_t splitMix(uint64_t *x) {
    uint64_t z = (*x += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

static inline void rngSeed(Rng *r, uint64_t seed, uint64_t stream) {
    uint64_t x = seed ^ (stream * 0xD1342543DE82EF95ull);
    r->s[0] = splitMix(&x);
    r->s[1] = splitMix(&x) | 1u;
    r->hasSpare = 0;
}

static inline double rngUniform(Rng *r) {          // xoroshiro128+
    const uint64_t a = r->s[0];
    uint64_t b = r->s[1];
    const uint64_t out = a + b;
    b ^= a;
    r->s[0] = ((a << 24) | (a >> 40)) ^ b ^ (b << 16);
    r->s[1] = (b << 37) | (b >> 27);
    return ((double)(out >> 11) + 0.5) * 0x1.0p-53;
}

static inline double rngNormal(Rng *r) {           // Marsaglia polar
    double u, v, q;
    if (r->hasSpare) {
        r->hasSpare = 0;
        return r->spare;
    }
    do {
        u = 2.0 * rngUniform(r) - 1.0;
        v = 2.0 * rngUniform(r) - 1.0;
        q = u * u + v * v;
    } while (q >= 1.0 || q == 0.0);
    q = sqrt(-2.0 * log(q) / q);
    r->spare = v * q;
    r->hasSpare = 1;
    return u * q;
}

// ---------------------------------------------------------------- payoffs

static double payVanilla(const Market *m, const Instrument *in, const Path *p, Events *ev) {
    const double d = p->s[in->u.vanilla.asset][p->steps] - in->u.vanilla.strike;
    (void)ev;
    return exp(-m->rate * p->dt * p->steps) * fmax(in->u.vanilla.isPut ? -d : d, 0.0);
}

static double payBarrier(const Market *m, const Instrument *in, const Path *p, Events *ev) {
    const double *s = p->s[in->u.barrier.asset];
    for (int t = 1; t <= p->steps; ++t)
        if (s[t] >= in->u.barrier.level) {
            ev->knocked++;
            return 0.0;
        }
    return exp(-m->rate * p->dt * p->steps) * fmax(s[p->steps] - in->u.barrier.strike, 0.0);
}

static double payAsian(const Market *m, const Instrument *in, const Path *p, Events *ev) {
    double avg = 0.0;
    (void)ev;
    for (int t = 1; t <= p->steps; ++t)
        ALL_ASSETS(a) avg += in->u.asian.weight[a] * p->s[a][t];
    return exp(-m->rate * p->dt * p->steps) * fmax(avg / p->steps - in->u.asian.strike, 0.0);
}

static double payAutocall(const Market *m, const Instrument *in, const Path *p, Events *ev) {
    double worst = 1.0;
    for (int t = in->u.autocall.every, period = 1; t <= p->steps; t += in->u.autocall.every, ++period) {
        worst = 1e9;
        ALL_ASSETS(a) worst = fmin(worst, p->s[a][t] / m->spot[a]);
        if (worst >= in->u.autocall.trigger) {
            ev->called++;
            return exp(-m->rate * p->dt * t) * (1.0 + in->u.autocall.coupon * period);
        }
    }
    return exp(-m->rate * p->dt * p->steps) * fmax(fmin(worst, 1.0), in->u.autocall.floor);
}

typedef double (*PayFn)(const Market *, const Instrument *, const Path *, Events *);
static const PayFn payTable[IK_COUNT] = { payVanilla, payBarrier, payAsian, payAutocall };

// ---------------------------------------------------------------- simulation

static void buildPath(const Market *m, const double *normals, double sign, Path *p) {
    const double rootDt = sqrt(p->dt);
    double logS[NUM_ASSETS] = { 0 };
    ALL_ASSETS(a) p->s[a][0] = m->spot[a];
    for (int t = 1; t <= p->steps; ++t, normals += NUM_ASSETS) {
        ALL_ASSETS(a) {
            double w = 0.0;
            for (int b = 0; b <= a; ++b)
                w += m->chol[a][b] * normals[b];
            logS[a] += (m->rate - m->divYield[a] - 0.5 * m->vol[a] * m->vol[a]) * p->dt
                     + m->vol[a] * rootDt * sign * w;
            p->s[a][t] = m->spot[a] * exp(logS[a]);
        }
    }
}

static int compareDoubles(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int simulate(const Market *mkt, const Book *book, uint32_t nPaths, uint64_t seed, Report *rep) {
    double *pnl = malloc(nPaths * sizeof *pnl);
    double sum = 0.0, sumSq = 0.0, byInstr[MAX_INSTR] = { 0 };
    uint64_t knocked = 0, called = 0;
    if (pnl == NULL) return -1;

/* OMP: parallel for schedule(static) reduction(+:sum, sumSq, knocked, called, byInstr[:MAX_INSTR]) */
    for (uint32_t i = 0; i < nPaths; ++i) {
        Rng rng;
        Path path = { .steps = book->steps, .dt = book->horizon / book->steps };
        double z[MAX_STEPS * NUM_ASSETS];
        Events ev = { 0, 0 };
        double value = 0.0;

        rngSeed(&rng, seed, i);
        for (int k = 0; k < book->steps * NUM_ASSETS; ++k)
            z[k] = rngNormal(&rng);
        for (int anti = 0; anti < 2; ++anti) {
            buildPath(mkt, z, anti ? -1.0 : 1.0, &path);
            for (size_t j = 0; j < book->count; ++j) {
                const Instrument *in = &book->instr[j];
                const double v = 0.5 * in->notional * payTable[in->kind](mkt, in, &path, &ev);
                byInstr[j] += v;
                value += v;
            }
        }
        pnl[i] = value;
        sum += value;
        sumSq += value * value;
        knocked += ev.knocked;
        called += ev.called;
    }

    memset(rep, 0, sizeof *rep);
    rep->mean = sum / nPaths;
    rep->stdErr = sqrt(fmax(sumSq / nPaths - rep->mean * rep->mean, 0.0) / nPaths);
    for (size_t j = 0; j < book->count; ++j) rep->perInstr[j] = byInstr[j] / nPaths;
    rep->knockedOut = knocked;
    rep->calledEarly = called;

    qsort(pnl, nPaths, sizeof *pnl, compareDoubles);
    const uint32_t tail = nPaths / 100 ? nPaths / 100 : 1;
    for (uint32_t i = 0; i < tail; ++i) rep->shortfall += (rep->mean - pnl[i]) / tail;
    rep->var99 = rep->mean - pnl[tail - 1];
    free(pnl);
    return 0;
}

static int cholesky(const double c[NUM_ASSETS][NUM_ASSETS], double l[NUM_ASSETS][NUM_ASSETS]) {
    ALL_ASSETS(i) {
        for (int j = 0; j <= i; ++j) {
            double s = c[i][j];
            for (int k = 0; k < j; ++k) s -= l[i][k] * l[j][k];
            if (i == j && s <= 0.0) return -1;
            l[i][j] = i == j ? sqrt(s) : s / l[j][j];
        }
    }
    return 0;
}

int main(int argc, char **argv) {
    static const double corr[NUM_ASSETS][NUM_ASSETS] = {
        { 1.0, 0.6, 0.3, 0.2 }, { 0.6, 1.0, 0.4, 0.1 }, { 0.3, 0.4, 1.0, 0.5 }, { 0.2, 0.1, 0.5, 1.0 } };
    Market mkt = { .spot = { 100, 50, 200, 80 }, .vol = { .22, .31, .18, .40 },
                   .divYield = { .02, .0, .01, .03 }, .rate = 0.025 };
    Instrument instr[] = {
        { IK_VANILLA, 10.0, { .vanilla = { 0, 105.0, 0 } } },
        { IK_VANILLA, -5.0, { .vanilla = { 3, 75.0, 1 } } },
        { IK_BARRIER, 25.0, { .barrier = { 1, 48.0, 70.0 } } },
        { IK_ASIAN, 8.0, { .asian = { { .25, .5, .125, .3 }, 100.0 } } },
        { IK_AUTOCALL, 500.0, { .autocall = { 1.0, 0.04, 0.5, 13 } } },
    };
    const Book book = { instr, sizeof instr / sizeof instr[0], 1.0, 52 };
    const uint32_t nPaths = argc > 1 ? (uint32_t)atoi(argv[1]) : 12000;

    if (cholesky(corr, mkt.chol) != 0) return 2;
    for (unsigned round = 0; round < 2; ++round) {
        Report rep;
        if (simulate(&mkt, &book, nPaths, 20240117u + round, &rep) != 0) return 1;
        printf("value %.6g +- %.3g   VaR99 %.6g   ES %.6g\n", rep.mean, rep.stdErr, rep.var99, rep.shortfall);
        for (size_t j = 0; j < book.count; ++j) printf("  instrument %zu: %.6g\n", j, rep.perInstr[j]);
        printf("  knocked out %llu, called early %llu\n",
               (unsigned long long)rep.knockedOut, (unsigned long long)rep.calledEarly);
        ALL_ASSETS(a) mkt.vol[a] *= 1.1;
    }
    return 0;
}

/*
 * neutron.c - multigroup Monte Carlo shielding calculation in slab geometry
 *
 *	neutron [histories-per-batch] [batches] [seed]
 *
 * A beam of fast neutrons enters the first slab from the left.  Histories
 * are followed with implicit capture and Russian roulette.  Every history
 * owns its generator, started from (seed, history number), so a single
 * history can be replayed when something looks suspicious.
 *
 * Tallies: track length flux per group and bin, absorption per slab,
 * leakage through both faces.  Errors are from the batch statistics.
 */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <string.h>
#include <math.h>

#define NGRP	4
#define NBIN	40
#define NSLAB	5
#define W_CUT	0.05		/* roulette below this weight */
#define W_SURV	0.25		/* weight of the survivors */

/* layout of the tally vector */
#define T_FLUX(g, b)	((g) * NBIN + (b))
#define T_ABS(s)	(NGRP * NBIN + (s))
#define T_LEAK(side)	(NGRP * NBIN + NSLAB + (side))
#define NTALLY		(NGRP * NBIN + NSLAB + 2)

enum { WATER, IRON, BORPOLY, CONCRETE, NMAT };
enum event { COLLISION, CROSS_LEFT, CROSS_RIGHT };

struct material {
	const char *name;
	double sig_t[NGRP];		/* total, 1/cm */
	double c[NGRP];			/* scattering ratio */
	double down[NGRP];		/* P(leave the group | scatter) */
	double aniso;			/* mean cosine, lab system */
};

struct slab {
	int mat;
	double left, right;
};

struct problem {
	const struct material *mat;
	struct slab slab[NSLAB];
	double thick, binw;
};

struct particle {
	double x, mu, wgt;
	int grp, zone;
};

static const struct material library[NMAT] = {
	{ "water",    { 0.20, 0.55, 1.10, 2.30 }, { 0.995, 0.99, 0.99, 0.985 },
	  { 0.45, 0.40, 0.30, 0.0 }, 0.45 },
	{ "iron",     { 0.25, 0.30, 0.65, 1.15 }, { 0.98, 0.99, 0.97, 0.82 },
	  { 0.15, 0.06, 0.04, 0.0 }, 0.10 },
	{ "borpoly",  { 0.22, 0.60, 1.30, 3.90 }, { 0.99, 0.98, 0.93, 0.55 },
	  { 0.45, 0.42, 0.35, 0.0 }, 0.40 },
	{ "concrete", { 0.16, 0.30, 0.50, 0.75 }, { 0.99, 0.99, 0.98, 0.96 },
	  { 0.22, 0.18, 0.15, 0.0 }, 0.20 },
};

/* ---------------------------------------------------------------- rng -- */

static uint64_t mix64(uint64_t z)
{
	z += 0x9e3779b97f4a7c15ULL;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

static uint64_t rng_start(uint64_t seed, uint64_t history)
{
	uint64_t s = mix64(mix64(seed) ^ (history * 0x2545f4914f6cdd1dULL));
	return s ? s : 1;
}

/* uniform on (0,1), never exactly 0 */
static double rnd(uint64_t *s)
{
	uint64_t x = *s;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	*s = x;
	return (double)((x * 0x2545f4914f6cdd1dULL) >> 11) * 0x1p-53 + 0x1p-54;
}

/* ----------------------------------------------------------- transport -- */

/* spread the track from xa to xb over the bins it goes through */
static void score_track(const struct problem *pr, double *flux, double xa,
			double xb, double mu, double wgt)
{
	double lo = xa < xb ? xa : xb, hi = xa < xb ? xb : xa;
	int b = (int)(lo / pr->binw), last = (int)(hi / pr->binw);
	double per = wgt / fabs(mu);

	if (b < 0) b = 0;
	if (last > NBIN - 1) last = NBIN - 1;
	if (b > NBIN - 1) b = NBIN - 1;
	for (; b < last; b++) {
		double edge = (b + 1) * pr->binw;
		flux[b] += per * (edge - lo);
		lo = edge;
	}
	if (hi > lo)
		flux[last] += per * (hi - lo);
}

static void scatter(const struct material *m, struct particle *p, uint64_t *s)
{
	double g = m->aniso, t, cs, phi;

	if (rnd(s) < m->down[p->grp] && p->grp < NGRP - 1) {
		p->grp++;
		while (p->grp < NGRP - 1 && rnd(s) < 0.3)
			p->grp++;
	}
	/* Henyey-Greenstein deflection */
	t = (1.0 - g * g) / (1.0 - g + 2.0 * g * rnd(s));
	cs = (1.0 + g * g - t * t) / (2.0 * g);
	if (cs > 1.0) cs = 1.0;
	if (cs < -1.0) cs = -1.0;
	phi = 2.0 * M_PI * rnd(s);
	p->mu = p->mu * cs + sqrt((1.0 - p->mu * p->mu) * (1.0 - cs * cs)) * cos(phi);
	if (p->mu > 1.0) p->mu = 1.0;
	if (p->mu < -1.0) p->mu = -1.0;
	if (fabs(p->mu) < 1e-8)
		p->mu = p->mu < 0 ? -1e-8 : 1e-8;
}

/* follow one particle to its end; returns the number of collisions */
static int history(const struct problem *pr, uint64_t *s, double *tally, long *nkilled)
{
	struct particle p = { 0.0, 1.0, 1.0, 0, 0 };
	int ncoll = 0;

	p.mu = sqrt(rnd(s));			/* cosine source */
	for (;;) {
		const struct slab *sl = &pr->slab[p.zone];
		const struct material *m = &pr->mat[sl->mat];
		double dist = -log(rnd(s)) / m->sig_t[p.grp];
		double wall = ((p.mu > 0 ? sl->right : sl->left) - p.x) / p.mu;
		enum event ev = COLLISION;
		double xnew;

		if (wall <= dist) {
			ev = p.mu > 0 ? CROSS_RIGHT : CROSS_LEFT;
			xnew = p.mu > 0 ? sl->right : sl->left;
		} else
			xnew = p.x + p.mu * dist;
		score_track(pr, tally + T_FLUX(p.grp, 0), p.x, xnew, p.mu, p.wgt);
		p.x = xnew;

		switch (ev) {
		case CROSS_LEFT:
			if (--p.zone < 0) {
				tally[T_LEAK(0)] += p.wgt;
				return ncoll;
			}
			break;
		case CROSS_RIGHT:
			if (++p.zone == NSLAB) {
				tally[T_LEAK(1)] += p.wgt;
				return ncoll;
			}
			break;
		case COLLISION:
			ncoll++;
			tally[T_ABS(p.zone)] += p.wgt * (1.0 - m->c[p.grp]);
			p.wgt *= m->c[p.grp];
			if (p.wgt < W_CUT) {
				if (rnd(s) > p.wgt / W_SURV) {
					++*nkilled;
					return ncoll;
				}
				p.wgt = W_SURV;
			}
			scatter(m, &p, s);
			break;
		}
	}
}

static void run_batch(const struct problem *pr, uint64_t seed, long first, long n,
		      double *tally, long *coll, long *killed, int *longest)
{
	long h, nc = 0, nk = 0;
	int lmax = *longest;

	memset(tally, 0, NTALLY * sizeof *tally);
	/* OMP: parallel for reduction(+:tally[:NTALLY],nc,nk) reduction(max:lmax) schedule(dynamic,64) */
	for (h = 0; h < n; h++) {
		uint64_t s = rng_start(seed, (uint64_t)(first + h));
		int k = history(pr, &s, tally, &nk);

		nc += k;
		if (k > lmax)
			lmax = k;
	}
	*coll += nc;
	*killed += nk;
	*longest = lmax;
}

static void geometry(struct problem *pr)
{
	static const int order[NSLAB] = { WATER, IRON, BORPOLY, IRON, CONCRETE };
	static const double width[NSLAB] = { 6.0, 5.0, 4.0, 3.0, 12.0 };
	double x = 0.0;
	int i;

	for (i = 0; i < NSLAB; i++) {
		pr->slab[i].mat = order[i];
		pr->slab[i].left = x;
		x += width[i];
		pr->slab[i].right = x;
	}
	pr->mat = library;
	pr->thick = x;
	pr->binw = x / NBIN;
}

int main(int argc, char **argv)
{
	long nhist = argc > 1 ? atol(argv[1]) : 20000;
	int nbatch = argc > 2 ? atoi(argv[2]) : 10;
	uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 20011;
	double tally[NTALLY], sum[NTALLY] = { 0 }, sq[NTALLY] = { 0 };
	long coll = 0, killed = 0;
	int b, i, g, longest = 0;
	struct problem pr;

	if (nhist < 1 || nbatch < 2) {
		fprintf(stderr, "usage: %s [histories] [batches>=2] [seed]\n", argv[0]);
		return 1;
	}
	geometry(&pr);
	for (b = 0; b < nbatch; b++) {
		run_batch(&pr, seed, b * nhist, nhist, tally, &coll, &killed, &longest);
		for (i = 0; i < NTALLY; i++) {
			double m = tally[i] / nhist;
			sum[i] += m;
			sq[i] += m * m;
		}
	}
	for (i = 0; i < NTALLY; i++) {
		double mean = sum[i] / nbatch, var = sq[i] / nbatch - mean * mean;
		sum[i] = mean;
		sq[i] = var > 0 ? sqrt(var / (nbatch - 1)) : 0.0;
	}

	printf("histories %ld collisions %ld roulette kills %ld longest %d\n",
	       nhist * nbatch, coll, killed, longest);
	for (i = 0; i < NSLAB; i++)
		printf("absorbed in %-9s %.6e +- %.3e\n",
		       pr.mat[pr.slab[i].mat].name, sum[T_ABS(i)], sq[T_ABS(i)]);
	printf("reflected    %.6e +- %.3e\n", sum[T_LEAK(0)], sq[T_LEAK(0)]);
	printf("transmitted  %.6e +- %.3e\n", sum[T_LEAK(1)], sq[T_LEAK(1)]);
	for (g = 0; g < NGRP; g++) {
		double tot = 0.0;
		for (i = 0; i < NBIN; i++)
			tot += sum[T_FLUX(g, i)];
		printf("group %d  flux %.6e  front %.6e  back %.6e\n", g, tot,
		       sum[T_FLUX(g, 0)], sum[T_FLUX(g, NBIN - 1)]);
	}
	return 0;
}

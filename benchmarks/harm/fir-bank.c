/* A bank of short FIR filters over a long signal, behind pointers in structures. */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <time.h>

typedef struct {
	unsigned	ntaps;
	float		*taps;
} fir_t;

typedef struct {
	size_t	len;
	float	*s;
} signal_t;

typedef struct {
	unsigned	nfilters;
	fir_t		*filters;
	signal_t	*outs;
} bank_t;

static float fir_at(const fir_t *f, const float *x)
{
	float acc = 0.0f;
	unsigned k;

	for (k = 0; k < f->ntaps; k++)
		acc += f->taps[k] * x[k];
	return acc;
}

static void fir_run(const fir_t *f, const signal_t *in, signal_t *out)
{
	size_t i;

	for (i = 0; i + f->ntaps <= in->len; i++)
		out->s[i] = fir_at(f, in->s + i);
}

static void bank_run(bank_t *b, const signal_t *in)
{
	unsigned f;

	for (f = 0; f < b->nfilters; f++)
		fir_run(&b->filters[f], in, &b->outs[f]);
}

static double energy(const signal_t *sig)
{
	double e = 0.0;
	size_t i;

	for (i = 0; i < sig->len; i++)
		e += sig->s[i] * sig->s[i];
	return e;
}

static void bank_init(bank_t *b, unsigned n, size_t len)
{
	unsigned f, k;

	b->nfilters = n;
	b->filters = malloc(n * sizeof *b->filters);
	b->outs = malloc(n * sizeof *b->outs);
	for (f = 0; f < n; f++) {
		b->filters[f].ntaps = 9 + 2 * f;
		b->filters[f].taps = malloc(b->filters[f].ntaps * sizeof(float));
		for (k = 0; k < b->filters[f].ntaps; k++)
			b->filters[f].taps[k] = (float)cos(0.3 * (f + 1) * k) / b->filters[f].ntaps;
		b->outs[f].len = len;
		b->outs[f].s = calloc(len, sizeof(float));
	}
}

int main(int argc, char **argv)
{
	size_t len = argc > 1 ? (size_t)atol(argv[1]) : 40000, i;
	int times = argc > 2 ? atoi(argv[2]) : 180, t;
	signal_t in;
	bank_t bank;
	double sum = 0.0;
	unsigned f;
	struct timespec a, b;

	in.len = len;
	in.s = malloc(len * sizeof(float));
	bank_init(&bank, 6, len);
	for (i = 0; i < len; i++)
		in.s[i] = (float)sin(0.01 * i) + (i % 17) * 0.1f;
	clock_gettime(CLOCK_MONOTONIC, &a);
	for (t = 0; t < times; t++) {
		bank_run(&bank, &in);
		in.s[t % len] += 0.5f;
	}
	clock_gettime(CLOCK_MONOTONIC, &b);
	for (f = 0; f < bank.nfilters; f++)
		sum += (f + 1) * energy(&bank.outs[f]);
	printf("%.6e\n", sum);
	fprintf(stderr, "%.6f\n", (b.tv_sec - a.tv_sec) + 1e-9 * (b.tv_nsec - a.tv_nsec));
	return 0;
}

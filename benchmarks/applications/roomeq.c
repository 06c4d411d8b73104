/* roomeq - offline room correction renderer
 * Per speaker feed: uniformly partitioned FFT convolution with the correction
 * filter, a chain of parametric EQ bands, metering.  Signals are synthesised.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK		256u
#define FFT_LEN		(2u * BLOCK)
#define MAX_BANDS	6
#define CPLX_FREE(b)	(free((b).re), free((b).im))
#define SWAP(a, b)	do { sample_t t_ = (a); (a) = (b); (b) = t_; } while (0)

typedef double sample_t;

enum req_err { REQ_OK = 0, REQ_ENOMEM = -1, REQ_EINVAL = -2 };
enum band_type { BAND_PEAK, BAND_HIGHPASS };

struct cplx_buf { sample_t *re, *im; };

struct fft_plan {
	unsigned n, log2n;
	struct cplx_buf tw;
	uint16_t *rev;
};

struct band_cfg { enum band_type type; float freq, gain_db, q; };
struct biquad { sample_t b0, b1, b2, a1, a2, z1, z2; };
struct meter { sample_t peak; double energy; unsigned long clipped; };

struct channel {
	struct {
		struct cplx_buf ir, hist;	/* parts * FFT_LEN each */
		unsigned parts, head;
	} conv;
	struct cplx_buf acc;
	sample_t *window;				/* previous + current block */
	sample_t *in, *out;
	uint32_t noise;
	double phase, dphase;
	struct biquad eq[MAX_BANDS];
	unsigned nbands;
	struct meter meter;
};

struct engine {
	struct fft_plan plan;
	struct channel *ch;
	unsigned nch;
	sample_t rate;
};

static int cplx_alloc(struct cplx_buf *b, size_t n)
{
	b->re = calloc(n, sizeof(*b->re));
	b->im = calloc(n, sizeof(*b->im));
	return (b->re && b->im) ? REQ_OK : REQ_ENOMEM;
}

static int fft_plan_init(struct fft_plan *p, unsigned n)
{
	unsigned i, b;

	if (n < 2 || (n & (n - 1)))
		return REQ_EINVAL;
	*p = (struct fft_plan){ .n = n, .log2n = (unsigned)__builtin_ctz(n) };
	if (!(p->rev = malloc(n * sizeof(*p->rev))) || cplx_alloc(&p->tw, n / 2))
		return REQ_ENOMEM;
	for (i = 0; i < n / 2; i++) {
		p->tw.re[i] = cos(2.0 * M_PI * i / n);
		p->tw.im[i] = -sin(2.0 * M_PI * i / n);
	}
	for (i = 0; i < n; i++) {
		for (p->rev[i] = 0, b = 0; b < p->log2n; b++)
			p->rev[i] |= (uint16_t)(((i >> b) & 1u) << (p->log2n - 1 - b));
	}
	return REQ_OK;
}

/* in place, decimation in time; swap re/im to get the inverse */
static void fft_exec(const struct fft_plan *p, sample_t *re, sample_t *im)
{
	unsigned i, half, step, k;

	for (i = 0; i < p->n; i++) {
		unsigned j = p->rev[i];

		if (j <= i)
			continue;
		SWAP(re[i], re[j]);
		SWAP(im[i], im[j]);
	}
	for (half = 1, step = p->n / 2; half < p->n; half <<= 1, step >>= 1) {
		for (i = 0; i < p->n; i += 2 * half) {
			for (k = 0; k < half; k++) {
				sample_t wr = p->tw.re[k * step], wi = p->tw.im[k * step];
				unsigned a = i + k, b = a + half;
				sample_t tr = re[b] * wr - im[b] * wi;
				sample_t ti = re[b] * wi + im[b] * wr;

				re[b] = re[a] - tr;
				im[b] = im[a] - ti;
				re[a] += tr;
				im[a] += ti;
			}
		}
	}
}

static void biquad_design(struct biquad *q, const struct band_cfg *c, sample_t rate)
{
	double w = 2.0 * M_PI * c->freq / rate, cw = cos(w);
	double al = sin(w) / (2.0 * c->q), A = pow(10.0, c->gain_db / 40.0);
	double b0, b1, b2, a0 = 1 + al, a1 = -2 * cw, a2 = 1 - al;

	if (c->type == BAND_HIGHPASS) {
		b1 = -(1 + cw); b0 = b2 = -b1 / 2;
	} else {
		b0 = 1 + al * A; b1 = -2 * cw; b2 = 1 - al * A;
		a0 = 1 + al / A; a2 = 1 - al / A;
	}
	*q = (struct biquad){ b0 / a0, b1 / a0, b2 / a0, a1 / a0, a2 / a0, 0, 0 };
}

static int channel_init(struct channel *c, const struct engine *e, unsigned idx,
			size_t taps, const struct band_cfg *bands, size_t nbands)
{
	size_t p, i;
	uint32_t s = 77u + 1013u * idx;

	c->conv.parts = (unsigned)((taps + BLOCK - 1) / BLOCK);
	if (!c->conv.parts || nbands > MAX_BANDS)
		return REQ_EINVAL;
	if (cplx_alloc(&c->conv.ir, (size_t)c->conv.parts * FFT_LEN) ||
	    cplx_alloc(&c->conv.hist, (size_t)c->conv.parts * FFT_LEN) ||
	    cplx_alloc(&c->acc, FFT_LEN))
		return REQ_ENOMEM;
	if (!(c->window = calloc(FFT_LEN, sizeof(sample_t))) ||
	    !(c->in = calloc(2 * BLOCK, sizeof(sample_t))))
		return REQ_ENOMEM;
	c->out = c->in + BLOCK;
	for (p = 0; p < c->conv.parts; p++) {
		sample_t *re = c->conv.ir.re + p * FFT_LEN, *im = c->conv.ir.im + p * FFT_LEN;

		for (i = 0; i < BLOCK && p * BLOCK + i < taps; i++) {
			s = s * 1664525u + 1013904223u;
			re[i] = (int32_t)s / 2147483648.0 * 0.05 * exp(-(double)(p * BLOCK + i) / 1500.0);
		}
		re[0] += p ? 0.0 : 0.8;
		fft_exec(&e->plan, re, im);
	}
	c->nbands = (unsigned)nbands;
	for (i = 0; i < nbands; i++)
		biquad_design(&c->eq[i], &bands[i], e->rate);
	c->noise = s;
	c->dphase = 2.0 * M_PI * (110.0 + 55.0 * idx) / e->rate;
	return REQ_OK;
}

static void channel_source(struct channel *c)
{
	unsigned i;

	for (i = 0; i < BLOCK; i++) {
		c->noise ^= c->noise << 13;
		c->noise ^= c->noise >> 17;
		c->noise ^= c->noise << 5;
		c->in[i] = 0.6 * sin(c->phase) +
			   0.2 * ((c->noise >> 8) / 8388608.0 - 1.0);
		c->phase = fmod(c->phase + c->dphase, 2.0 * M_PI);
	}
	c->dphase *= 1.0005;
}

static void channel_render(const struct fft_plan *plan, struct channel *c)
{
	const unsigned parts = c->conv.parts;
	sample_t *hr = c->conv.hist.re + (size_t)c->conv.head * FFT_LEN;
	sample_t *hi = c->conv.hist.im + (size_t)c->conv.head * FFT_LEN;
	const sample_t scale = 1.0 / FFT_LEN;
	unsigned p, i, b;

	memmove(c->window, c->window + BLOCK, BLOCK * sizeof(sample_t));
	memcpy(c->window + BLOCK, c->in, BLOCK * sizeof(sample_t));
	memcpy(hr, c->window, FFT_LEN * sizeof(sample_t));
	memset(hi, 0, FFT_LEN * sizeof(sample_t));
	fft_exec(plan, hr, hi);

	for (i = 0; i < FFT_LEN; i++)
		c->acc.re[i] = c->acc.im[i] = 0;
	for (p = 0; p < parts; p++) {
		size_t slot = (size_t)((c->conv.head + parts - p) % parts) * FFT_LEN;
		const sample_t *xr = c->conv.hist.re + slot, *xi = c->conv.hist.im + slot;
		const sample_t *yr = c->conv.ir.re + (size_t)p * FFT_LEN;
		const sample_t *yi = c->conv.ir.im + (size_t)p * FFT_LEN;

		for (i = 0; i < FFT_LEN; i++) {
			c->acc.re[i] += xr[i] * yr[i] - xi[i] * yi[i];
			c->acc.im[i] += xr[i] * yi[i] + xi[i] * yr[i];
		}
	}
	c->conv.head = (c->conv.head + 1) % parts;
	fft_exec(plan, c->acc.im, c->acc.re);

	for (i = 0; i < BLOCK; i++) {
		sample_t x = c->acc.re[BLOCK + i] * scale;

		for (b = 0; b < c->nbands; b++) {
			struct biquad *q = &c->eq[b];
			sample_t y = q->b0 * x + q->z1;

			q->z1 = q->b1 * x - q->a1 * y + q->z2;
			q->z2 = q->b2 * x - q->a2 * y;
			x = y;
		}
		c->meter.energy += x * x;
		c->meter.peak = fmax(c->meter.peak, fabs(x));
		c->meter.clipped += fabs(x) > 1.0;
		c->out[i] = fmin(fmax(x, -1.0), 1.0);
	}
}

static void engine_block(struct engine *e, double mix[2])
{
	unsigned k, i;

/* OMP: parallel for schedule(static) */
	for (k = 0; k < e->nch; k++) {
		channel_source(&e->ch[k]);
		channel_render(&e->plan, &e->ch[k]);
	}
	for (k = 0; k < e->nch; k++)
		for (i = 0; i < BLOCK; i++)
			mix[k & 1] += fabs(e->ch[k].out[i]);
}

int main(int argc, char **argv)
{
	static const struct band_cfg bands[4] = {
		{ BAND_HIGHPASS, 35.0, 0.0, 0.71 }, { BAND_PEAK, 180.0, -4.5, 1.2 },
		{ BAND_PEAK, 900.0, 5.0, 0.9 }, { BAND_PEAK, 3200.0, 2.5, 2.0 },
	};
	struct engine eng = { .nch = 8, .rate = 48000.0 };
	unsigned nblocks = argc > 1 ? (unsigned)atoi(argv[1]) : 900, b, k;
	double mix[2] = { 0, 0 };
	int err = fft_plan_init(&eng.plan, FFT_LEN);

	if (err)
		goto out;
	err = REQ_ENOMEM;
	if (!(eng.ch = calloc(eng.nch, sizeof(*eng.ch))))
		goto out;
	for (k = 0; k < eng.nch; k++) {
		err = channel_init(&eng.ch[k], &eng, k, 6000 + 500 * k, bands, 4);
		if (err)
			goto out;
	}
	for (b = 0; b < nblocks; b++)
		engine_block(&eng, mix);
	for (k = 0; k < eng.nch; k++)
		printf("ch%u rms %.6g peak %.6g clipped %lu\n", k,
		       sqrt(eng.ch[k].meter.energy / ((double)nblocks * BLOCK)),
		       eng.ch[k].meter.peak, eng.ch[k].meter.clipped);
	printf("mix L %.6g R %.6g\n", mix[0], mix[1]);
out:
	for (k = 0; eng.ch && k < eng.nch; k++) {
		CPLX_FREE(eng.ch[k].conv.ir);
		CPLX_FREE(eng.ch[k].conv.hist);
		CPLX_FREE(eng.ch[k].acc);
		free(eng.ch[k].window);
		free(eng.ch[k].in);
	}
	free(eng.ch);
	CPLX_FREE(eng.plan.tw);
	free(eng.plan.rev);
	return err ? EXIT_FAILURE : EXIT_SUCCESS;
}

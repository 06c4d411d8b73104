/* blkcodec - 8x8 block transform coder for 4:2:0 frames with local reconstruction. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef int16_t s16;
typedef uint32_t u32;

enum { BS = 8, BS2 = BS * BS, ENOSPACE = -2, ENOMEMORY = -1 };

struct plane {
	u8	*pix;
	s16	*coef;
	u32	stride;
	u16	w, h, bw, bh;
};

struct frame { struct plane pl[3]; unsigned int seq; };

struct bitbuf { u8 *p; size_t len, cap; u32 acc; unsigned int nbits; };

struct codec {
	float	dct[BS][BS];
	u16	quant[2][BS2];
	u8	zigzag[BS2];
	struct bitbuf bits;
};

static int frame_init(struct frame *f, u16 w, u16 h)
{
	for (int i = 0; i < 3; i++) {
		struct plane *p = &f->pl[i];

		p->w = i ? w / 2 : w;
		p->h = i ? h / 2 : h;
		p->bw = (p->w + BS - 1) / BS;
		p->bh = (p->h + BS - 1) / BS;
		p->stride = (u32)p->bw * BS;
		p->pix = calloc(p->stride, (size_t)p->bh * BS);
		p->coef = calloc((size_t)p->bw * p->bh, BS2 * sizeof(s16));
		if (!p->pix || !p->coef)
			return ENOMEMORY;
	}
	return 0;
}

static void frame_free(struct frame *f)
{
	for (int i = 0; i < 3; i++)
		free(f->pl[i].pix), free(f->pl[i].coef);
}

static void codec_init(struct codec *c, int quality)
{
	int n = 0;

	for (int k = 0; k < BS; k++)
		for (int i = 0; i < BS; i++)
			c->dct[k][i] = (float)(cos((2 * i + 1) * k * 3.14159265358979 / 16) * (k ? 0.5 : sqrt(0.125)));
	for (int s = 0; s < 2 * BS - 1; s++)
		for (int i = 0; i <= s; i++) {
			int y = s & 1 ? i : s - i, x = s - y;

			if (x < BS && y < BS)
				c->zigzag[n++] = (u8)(y * BS + x);
		}
	for (int i = 0; i < BS2; i++) {
		c->quant[0][i] = (u16)((6 + 2 * (i / BS + i % BS)) * 50 / quality);
		c->quant[1][i] = (u16)((8 + 4 * (i / BS + i % BS)) * 50 / quality);
	}
}

static void fdct_quant(const struct codec *c, const u16 *q, const u8 *src, u32 stride, s16 *out)
{
	float tmp[BS2];

	for (int k = 0; k < BS; k++)
		for (int x = 0; x < BS; x++) {
			float s = 0;
			for (int y = 0; y < BS; y++) s += c->dct[k][y] * ((float)src[y * stride + x] - 128.0f);
			tmp[k * BS + x] = s;
		}
	for (int k = 0; k < BS; k++)
		for (int l = 0; l < BS; l++) {
			float s = 0;
			for (int x = 0; x < BS; x++) s += tmp[k * BS + x] * c->dct[l][x];
			out[k * BS + l] = (s16)lrintf(s / q[k * BS + l]);
		}
}

static void dequant_idct(const struct codec *c, const u16 *q, const s16 *in, u8 *dst, u32 stride)
{
	float tmp[BS2];

	for (int y = 0; y < BS; y++)
		for (int l = 0; l < BS; l++) {
			float s = 0;
			for (int k = 0; k < BS; k++) s += c->dct[k][y] * in[k * BS + l] * q[k * BS + l];
			tmp[y * BS + l] = s;
		}
	for (int y = 0; y < BS; y++)
		for (int x = 0; x < BS; x++) {
			float s = 128.5f;
			for (int l = 0; l < BS; l++) s += tmp[y * BS + l] * c->dct[l][x];
			dst[y * stride + x] = s < 0 ? 0 : s > 255 ? 255 : (u8)s;
		}
}

static int put_bits(struct bitbuf *b, u32 v, unsigned int n)
{
	b->acc = b->acc << n | v;
	b->nbits += n;
	while (b->nbits >= 8) {
		if (b->len == b->cap)
			return ENOSPACE;
		b->nbits -= 8;
		b->p[b->len++] = (u8)(b->acc >> b->nbits);
	}
	return 0;
}

static int put_ue(struct bitbuf *b, u32 v)
{
	unsigned int n = 0;

	for (v++; v >> (n + 1); n++)
		;
	return put_bits(b, 0, n) ? ENOSPACE : put_bits(b, v, n + 1);
}

static int code_plane(struct codec *c, const struct plane *p)
{
	s16 dc = 0;

	for (size_t b = 0; b < (size_t)p->bw * p->bh; b++) {
		const s16 *q = p->coef + b * BS2;
		u32 run = 0;

		for (int i = 0; i < BS2; i++) {
			int v = q[c->zigzag[i]] - (i ? 0 : dc);

			if (v && (put_ue(&c->bits, run) || put_ue(&c->bits, v > 0 ? 2u * v - 1 : 2u * -v)))
				return ENOSPACE;
			run = v ? 0 : run + 1;
		}
		dc = q[0];
		if (put_ue(&c->bits, BS2))
			return ENOSPACE;
	}
	return 0;
}

static void draw(struct frame *f)
{
	unsigned int t = f->seq;

	for (unsigned int k = 1; k <= 3; k++) {
		struct plane *p = &f->pl[k - 1];
		/* OMP: parallel for */
		for (unsigned int y = 0; y < p->bh * BS; y++)
			for (unsigned int x = 0; x < p->stride; x++)
				p->pix[y * p->stride + x] = (u8)(((x * k + t * 5) ^ (y / k)) % 61 * 2 + (x * y >> 11) % 97 +
								 ((x - 200) * (x - 200) + y * y < 9000 ? 60 : 0));
	}
}

int main(void)
{
	static struct codec c;
	struct frame src = { 0 }, rec = { 0 };
	u32 hash = 5381;
	int ret;

	codec_init(&c, 40);
	c.bits.cap = 4u << 20;
	c.bits.p = malloc(c.bits.cap);
	if ((ret = c.bits.p ? 0 : ENOMEMORY) || (ret = frame_init(&src, 608, 448)) || (ret = frame_init(&rec, 608, 448)))
		goto out;
	for (src.seq = 0; src.seq < 24; src.seq++) {
		unsigned long long sse = 0;

		draw(&src);
		c.bits.len = c.bits.nbits = 0;
		for (int i = 0; i < 3; i++) {
			struct plane *p = &src.pl[i];
			/* OMP: parallel for schedule(static) */
			for (u32 by = 0; by < p->bh; by++)
				for (u32 bx = 0; bx < p->bw; bx++)
					fdct_quant(&c, c.quant[i > 0], p->pix + by * BS * p->stride + bx * BS, p->stride,
						   p->coef + ((size_t)by * p->bw + bx) * BS2);
			if ((ret = code_plane(&c, p)))
				goto out;
		}
		if ((ret = put_bits(&c.bits, 0xff, 8)))
			goto out;
		for (int i = 0; i < 3; i++) {
			struct plane *p = &rec.pl[i], *o = &src.pl[i];
			/* OMP: parallel for schedule(static) reduction(+:sse) */
			for (u32 by = 0; by < p->bh; by++) {
				for (u32 bx = 0; bx < p->bw; bx++)
					dequant_idct(&c, c.quant[i > 0], o->coef + ((size_t)by * p->bw + bx) * BS2,
						     p->pix + by * BS * p->stride + bx * BS, p->stride);
				for (u32 k = by * BS * p->stride; k < (by + 1) * BS * p->stride; k++)
					sse += (unsigned long long)((p->pix[k] - o->pix[k]) * (p->pix[k] - o->pix[k]));
			}
		}
		for (size_t k = 0; k < c.bits.len; k++)
			hash = hash * 33 ^ c.bits.p[k];
		if (src.seq % 6 == 0)
			printf("frame %u bytes %zu sse %llu\n", src.seq, c.bits.len, sse);
	}
	printf("stream %08x\n", (unsigned int)hash);
out:
	frame_free(&src);
	frame_free(&rec);
	free(c.bits.p);
	return ret ? 1 : 0;
}

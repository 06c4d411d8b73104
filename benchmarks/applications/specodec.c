// specodec - spectral analysis (STFT, mel cepstra) and a toy MDCT transform
// codec with band-wise step sizes, run over a synthesised ensemble piece.
//   specodec [seconds] [quality 1..9]
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RATE   = 32000,
    FRAME  = 1024,
    LOGN   = 10,
    HOP    = 256,
    BINS   = FRAME / 2 + 1,
    PITCH  = 520,              // floats per spectrogram row
    MELS   = 36,
    CEPS   = 13,
    BLK    = 256,              // MDCT coefficients per block
    BANDS  = 18
};

typedef struct { float re, im; } cpx;

typedef struct {
    cpx      tw[FRAME / 2];
    uint16_t rev[FRAME];
    float    win[FRAME];
} Analyser;

typedef struct {
    float    basis[2 * BLK][BLK];   // windowed MDCT basis, sample major
    float    step[BANDS];
} Codec;

typedef double (*window_fn)(unsigned i, unsigned n);

static const uint16_t band_edge[BANDS + 1] = {
    0, 4, 8, 12, 16, 20, 26, 32, 40, 48, 58, 70, 84, 100, 120, 144, 174, 210, 256
};

static double hann(unsigned i, unsigned n)   { return 0.5 - 0.5 * cos(2.0 * M_PI * i / n); }
static double sine_w(unsigned i, unsigned n) { return sin(M_PI * (i + 0.5) / n); }

static void *xmalloc(size_t bytes)
{
    void *p = malloc(bytes);
    if (p == NULL)
        exit(1);
    return p;
}

static uint32_t lcg(uint32_t *s) { return *s = *s * 1664525u + 1013904223u; }

static float noise(uint32_t *s)
{
    return (float)(int32_t)lcg(s) * (1.0f / 2147483648.0f);
}

// plucked strings: three voices of the Karplus-Strong kind plus hiss
static void synth(float *out, uint32_t n)
{
    static const unsigned period[8] = { 145, 122, 109, 97, 91, 81, 73, 61 };
    float    line[3][256];
    unsigned len[3] = { 145, 109, 73 }, pos[3] = { 0, 0, 0 };
    uint32_t s = 0x5eed1234u, left = n;
    float   *o = out;

    memset(line, 0, sizeof line);
    while (left--) {
        float acc = 0.002f * noise(&s);
        if (left % 4000 == 0) {
            unsigned v = (lcg(&s) >> 20) % 3;
            len[v] = period[(lcg(&s) >> 16) & 7];
            pos[v] = 0;
            for (unsigned i = 0; i < len[v]; i++)
                line[v][i] = 0.5f * noise(&s);
        }
        for (unsigned v = 0; v < 3; v++) {
            unsigned nx = pos[v] + 1 == len[v] ? 0 : pos[v] + 1;
            acc += line[v][pos[v]];
            line[v][pos[v]] = 0.4985f * (line[v][pos[v]] + line[v][nx]);
            pos[v] = nx;
        }
        *o++ = acc;
    }
}

static void analyser_init(Analyser *a, window_fn w)
{
    for (unsigned i = 0; i < FRAME / 2; i++) {
        a->tw[i].re = (float)cos(2.0 * M_PI * i / FRAME);
        a->tw[i].im = (float)-sin(2.0 * M_PI * i / FRAME);
    }
    for (unsigned i = 0; i < FRAME; i++) {
        unsigned r = 0;
        for (unsigned b = 0; b < LOGN; b++)
            r |= ((i >> b) & 1u) << (LOGN - 1 - b);
        a->rev[i] = (uint16_t)r;
        a->win[i] = (float)w(i, FRAME);
    }
}

static void fft(const Analyser *a, cpx *x)
{
    for (unsigned half = 1, stride = FRAME / 2; half < FRAME; half <<= 1, stride >>= 1) {
        for (unsigned base = 0; base < FRAME; base += 2 * half) {
            const cpx *t = a->tw;
            cpx *p = x + base, *q = p + half;
            for (unsigned k = 0; k < half; k++, p++, q++, t += stride) {
                float re = q->re * t->re - q->im * t->im;
                float im = q->re * t->im + q->im * t->re;
                q->re = p->re - re;
                q->im = p->im - im;
                p->re += re;
                p->im += im;
            }
        }
    }
}

// power spectrum of each frame into one row of spec
static void stft(const Analyser *a, const float *pcm, uint32_t frames, float *spec)
{
    /* OMP: parallel for schedule(static) */
    for (uint32_t f = 0; f < frames; f++) {
        cpx buf[FRAME];
        const float *in = pcm + (size_t)f * HOP;
        float *row = spec + (size_t)f * PITCH;

        for (unsigned i = 0; i < FRAME; i++) {
            buf[a->rev[i]].re = in[i] * a->win[i];
            buf[a->rev[i]].im = 0.0f;
        }
        fft(a, buf);
        for (unsigned b = 0; b < BINS; b++)
            row[b] = buf[b].re * buf[b].re + buf[b].im * buf[b].im;
    }
}

static double mel(double hz)  { return 1127.0 * log(1.0 + hz / 700.0); }
static double hertz(double m) { return 700.0 * (exp(m / 1127.0) - 1.0); }

static void cepstra(const float *spec, uint32_t frames, float *ceps, float *centroid)
{
    double edge[MELS + 2], dct[CEPS][MELS];

    for (unsigned m = 0; m < MELS + 2; m++)
        edge[m] = hertz(mel(40.0) + (mel(RATE / 2.2) - mel(40.0)) * m / (MELS + 1)) * FRAME / RATE;
    for (unsigned c = 0; c < CEPS; c++)
        for (unsigned m = 0; m < MELS; m++)
            dct[c][m] = cos(M_PI * c * (m + 0.5) / MELS);

    /* OMP: parallel for schedule(static) */
    for (uint32_t f = 0; f < frames; f++) {
        const float *row = spec + (size_t)f * PITCH;
        double lm[MELS], num = 0.0, den = 1e-12;

        for (unsigned m = 0; m < MELS; m++) {
            double lo = edge[m], mid = edge[m + 1], hi = edge[m + 2], e = 0.0;
            for (unsigned b = (unsigned)lo; b <= (unsigned)hi + 1 && b < BINS; b++) {
                double w = b <= mid ? (b - lo) / (mid - lo) : (hi - b) / (hi - mid);
                if (w > 0.0)
                    e += w * row[b];
            }
            lm[m] = log(e + 1e-9);
        }
        for (unsigned c = 0; c < CEPS; c++) {
            double s = 0.0;
            for (unsigned m = 0; m < MELS; m++)
                s += dct[c][m] * lm[m];
            ceps[f * CEPS + c] = (float)s;
        }
        for (unsigned b = 0; b < BINS; b++) {
            num += (double)b * row[b];
            den += row[b];
        }
        centroid[f] = (float)(num / den * RATE / FRAME);
    }
}

static void codec_init(Codec *c, window_fn w, int quality)
{
    /* OMP: parallel for schedule(static) */
    for (unsigned n = 0; n < 2 * BLK; n++)
        for (unsigned k = 0; k < BLK; k++)
            c->basis[n][k] = (float)(w(n, 2 * BLK) * sqrt(2.0 / BLK)
                                     * cos(M_PI / BLK * (n + 0.5 + BLK / 2.0) * (k + 0.5)));
    for (unsigned b = 0; b < BANDS; b++)
        c->step[b] = 0.004f * (float)(10 - quality) * (1.0f + 0.12f * (float)b);
}

static unsigned code_len(int q)
{
    unsigned a = (unsigned)(q < 0 ? -q : q), bits = 1;
    while (a) {
        bits += 2;
        a >>= 1;
    }
    return bits;
}

static uint64_t encode(const Codec *c, const float *pcm, uint32_t blocks, int16_t *q)
{
    uint64_t bits = 0;

    /* OMP: parallel for reduction(+:bits) */
    for (uint32_t b = 0; b < blocks; b++) {
        float co[BLK] = { 0 };
        const float *in = pcm + (size_t)b * BLK;
        int16_t *out = q + (size_t)b * BLK;

        for (unsigned n = 0; n < 2 * BLK; n++) {
            const float x = in[n], *bs = c->basis[n];
            for (unsigned k = 0; k < BLK; k++)
                co[k] += x * bs[k];
        }
        for (unsigned s = 0; s < BANDS; s++) {
            float inv = 1.0f / c->step[s];
            for (unsigned k = band_edge[s]; k < band_edge[s + 1]; k++) {
                out[k] = (int16_t)lrintf(co[k] * inv);
                bits += code_len(out[k]);
            }
        }
    }
    return bits;
}

// every output block is the tail of one transform plus the head of the next
static void decode(const Codec *c, const int16_t *q, uint32_t blocks, float *pcm)
{
    /* OMP: parallel for schedule(static) */
    for (uint32_t b = 1; b < blocks; b++) {
        float prev[BLK], cur[BLK], *dst = pcm + (size_t)b * BLK;
        const int16_t *qc = q + (size_t)b * BLK, *qp = qc - BLK;

        for (unsigned s = 0, k = 0; s < BANDS; s++)
            for (; k < band_edge[s + 1]; k++) {
                prev[k] = qp[k] * c->step[s];
                cur[k] = qc[k] * c->step[s];
            }
        for (unsigned n = 0; n < BLK; n++) {
            const float *head = c->basis[n], *tail = c->basis[n + BLK];
            float acc = 0.0f;
            for (unsigned k = 0; k < BLK; k++)
                acc += cur[k] * head[k] + prev[k] * tail[k];
            *dst++ = acc;
        }
    }
}

int main(int argc, char **argv)
{
    double   secs = argc > 1 ? atof(argv[1]) : 18.0;
    int      quality = argc > 2 ? atoi(argv[2]) : 5;
    uint32_t len = (uint32_t)(secs * RATE), frames, blocks;

    if (secs < 0.2 || secs > 600.0 || quality < 1 || quality > 9) {
        fprintf(stderr, "usage: %s [seconds] [quality 1..9]\n", argv[0]);
        return 2;
    }
    frames = (len - FRAME) / HOP + 1;
    blocks = len / BLK - 1;

    float *pcm = xmalloc(len * sizeof *pcm), *dec = xmalloc(len * sizeof *dec);
    float *spec = xmalloc((size_t)frames * PITCH * sizeof *spec);
    float *ceps = xmalloc((size_t)frames * CEPS * sizeof *ceps);
    float *cent = xmalloc(frames * sizeof *cent);
    int16_t *q = xmalloc((size_t)blocks * BLK * sizeof *q);
    Analyser *an = xmalloc(sizeof *an);
    Codec *cd = xmalloc(sizeof *cd);

    synth(pcm, len);
    analyser_init(an, hann);
    stft(an, pcm, frames, spec);
    cepstra(spec, frames, ceps, cent);
    double mean[CEPS] = { 0 }, mc = 0.0;
    for (uint32_t f = 0; f < frames; f++) {
        for (unsigned c = 0; c < CEPS; c++)
            mean[c] += ceps[f * CEPS + c];
        mc += cent[f];
    }
    printf("frames %u centroid %.4g Hz\ncepstra", frames, mc / frames);
    for (unsigned c = 0; c < CEPS; c++)
        printf(" %.4g", mean[c] / frames);

    codec_init(cd, sine_w, quality);
    uint64_t bits = encode(cd, pcm, blocks, q);
    decode(cd, q, blocks, dec);
    double sig = 0.0, err = 0.0;
    /* OMP: parallel for reduction(+:sig,err) */
    for (size_t i = BLK; i < (size_t)blocks * BLK; i++) {
        sig += (double)pcm[i] * pcm[i];
        err += (double)(pcm[i] - dec[i]) * (pcm[i] - dec[i]);
    }
    printf("\nrate %.4g kbit/s  snr %.4g dB\n", bits / 1000.0 / secs, 10.0 * log10(sig / err));
    free(pcm); free(dec); free(spec); free(ceps); free(cent); free(q); free(an); free(cd);
    return 0;
}

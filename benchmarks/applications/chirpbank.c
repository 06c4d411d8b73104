/* chirpbank.c
**
** Spectrogram and mel filterbank features of a test signal.
**   - radix-2 FFT plan with twiddle and bit reversal tables
**   - several window functions, chosen from a table
**   - overlap-add resynthesis as a self check
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <math.h>

#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif

typedef struct { double re, im; } cplx_t;

#define CADD(a, b) ((cplx_t){ (a).re + (b).re, (a).im + (b).im })
#define CSUB(a, b) ((cplx_t){ (a).re - (b).re, (a).im - (b).im })
#define CMUL(a, b) ((cplx_t){ (a).re * (b).re - (a).im * (b).im, (a).re * (b).im + (a).im * (b).re })
#define MAX_FFT 1024
#define N_MEL 32

enum { E_OK, E_MEM, E_ARG };

typedef struct {
    unsigned n, log2n;
    uint16_t *rev;
    cplx_t *tw;
} fft_plan_t;

typedef double (*window_fn_t)(unsigned i, unsigned n);

typedef struct {
    unsigned first, count;      /* bins first .. first+count-1 */
    float *gain;
} mel_band_t;

typedef struct {
    fft_plan_t plan;
    double *window;
    unsigned hop;
    mel_band_t bands[N_MEL];
    double rate;
} analyser_t;

typedef struct {
    size_t frames, pitch;
    double *power;              /* frames rows of pitch doubles */
    double *mel;                /* frames x N_MEL */
    double *flux;               /* frames */
    unsigned *peak;             /* frames */
} features_t;

static double w_hann(unsigned i, unsigned n)    { return 0.5 - 0.5 * cos(2.0 * M_PI * i / n); }
static double w_hamming(unsigned i, unsigned n) { return 0.54 - 0.46 * cos(2.0 * M_PI * i / n); }
static double w_blackman(unsigned i, unsigned n)
{
    return 0.42 - 0.5 * cos(2.0 * M_PI * i / n) + 0.08 * cos(4.0 * M_PI * i / n);
}

static const struct { const char *name; window_fn_t fn; } window_table[] = {
    { "hann", w_hann }, { "hamming", w_hamming }, { "blackman", w_blackman }, { NULL, NULL }
};

static double mel_of(double hz) { return 2595.0 * log10(1.0 + hz / 700.0); }
static double hz_of(double mel) { return 700.0 * (pow(10.0, mel / 2595.0) - 1.0); }

static int plan_init(fft_plan_t *p, unsigned n)
{
    unsigned i, b;

    memset(p, 0, sizeof *p);
    if (n < 4 || n > MAX_FFT || (n & (n - 1))) return E_ARG;
    p->n = n;
    p->log2n = (unsigned) __builtin_ctz(n);
    p->rev = malloc(n * sizeof *p->rev);
    p->tw = malloc(n / 2 * sizeof *p->tw);
    if (!p->rev || !p->tw) return E_MEM;
    for (i = 0; i < n; i++) {
        unsigned r = 0;
        for (b = 0; b < p->log2n; b++) r |= ((i >> b) & 1u) << (p->log2n - 1 - b);
        p->rev[i] = (uint16_t) r;
    }
    for (i = 0; i < n / 2; i++) {
        p->tw[i].re = cos(2.0 * M_PI * i / n);
        p->tw[i].im = -sin(2.0 * M_PI * i / n);
    }
    return E_OK;
}

/* in place; dir +1 forward, -1 inverse without scaling */
static void fft(const fft_plan_t *p, cplx_t *x, int dir)
{
    unsigned i, half, step;

    for (i = 0; i < p->n; i++)
        if (i < p->rev[i]) {
            cplx_t t = x[i];
            x[i] = x[p->rev[i]];
            x[p->rev[i]] = t;
        }
    for (half = 1, step = p->n / 2; half < p->n; half <<= 1, step >>= 1) {
        cplx_t *blk = x;
        do {
            const cplx_t *w = p->tw;
            cplx_t *lo = blk, *hi = blk + half;
            for (; lo < blk + half; lo++, hi++, w += step) {
                cplx_t k = { w->re, dir > 0 ? w->im : -w->im };
                cplx_t t = CMUL(k, *hi);
                *hi = CSUB(*lo, t);
                *lo = CADD(*lo, t);
            }
            blk += 2 * half;
        } while (blk < x + p->n);
    }
}

static int analyser_init(analyser_t *a, unsigned n, unsigned hop, double rate, window_fn_t win)
{
    unsigned i, b;
    int rc;

    memset(a, 0, sizeof *a);
    a->hop = hop;
    a->rate = rate;
    if ((rc = plan_init(&a->plan, n)) != E_OK) return rc;
    if ((a->window = malloc(n * sizeof *a->window)) == NULL) return E_MEM;
    for (i = 0; i < n; i++) a->window[i] = win(i, n);
    for (b = 0; b < N_MEL; b++) {
        double top = mel_of(rate / 2);
        double lo = hz_of(top * b / (N_MEL + 1)) * n / rate, mid = hz_of(top * (b + 1) / (N_MEL + 1)) * n / rate;
        double hi = hz_of(top * (b + 2) / (N_MEL + 1)) * n / rate;
        mel_band_t *m = &a->bands[b];
        m->first = (unsigned) lo + 1;
        m->count = hi > m->first ? (unsigned) (hi - m->first) + 1 : 1;
        if (m->first + m->count > n / 2 + 1) m->count = n / 2 + 1 - m->first;
        if ((m->gain = malloc(m->count * sizeof *m->gain)) == NULL) return E_MEM;
        for (i = 0; i < m->count; i++) {
            double f = m->first + i;
            m->gain[i] = (float) fmax(0.05, f < mid ? (f - lo) / (mid - lo) : (hi - f) / (hi - mid));
        }
    }
    return E_OK;
}

static void analyser_free(analyser_t *a)
{
    for (int b = 0; b < N_MEL; b++) free(a->bands[b].gain);
    free(a->window);
    free(a->plan.rev);
    free(a->plan.tw);
}

static void analyse(const analyser_t *a, const float *sig, features_t *out)
{
    const unsigned n = a->plan.n, bins = n / 2 + 1;

    /* OMP: parallel for schedule(static) */
    for (size_t f = 0; f < out->frames; f++) {
        cplx_t buf[MAX_FFT];
        const float *s = sig + f * a->hop;
        double *pw = out->power + f * out->pitch, best = -1;
        for (unsigned i = 0; i < n; i++) {
            buf[i].re = s[i] * a->window[i];
            buf[i].im = 0;
        }
        fft(&a->plan, buf, +1);
        for (unsigned k = 0; k < bins; k++) {
            pw[k] = (buf[k].re * buf[k].re + buf[k].im * buf[k].im) / n;
            if (pw[k] > best) {
                best = pw[k];
                out->peak[f] = k;
            }
        }
        for (int b = 0; b < N_MEL; b++) {
            const mel_band_t *m = &a->bands[b];
            double e = 1e-10;
            for (unsigned i = 0; i < m->count; i++) e += m->gain[i] * pw[m->first + i];
            out->mel[f * N_MEL + b] = 10.0 * log10(e);
        }
    }
    /* OMP: parallel for schedule(static) */
    for (size_t f = 1; f < out->frames; f++) {
        const double *now = out->power + f * out->pitch, *old = now - out->pitch;
        double sum = 0;
        for (unsigned k = 0; k < bins; k++)
            if (now[k] > old[k]) sum += sqrt(now[k]) - sqrt(old[k]);
        out->flux[f] = sum;
    }
}

/* Filters in the frequency domain and overlap-adds; returns rms of the result. */
static double resynthesise(const analyser_t *a, const float *sig, float *dst, size_t len, double cutoff)
{
    static cplx_t work[MAX_FFT];
    const unsigned n = a->plan.n, kc = (unsigned) (cutoff * n / a->rate);
    double ss = 0;

    memset(dst, 0, len * sizeof *dst);
    for (size_t at = 0; at + n <= len; at += a->hop) {
        for (unsigned i = 0; i < n; i++) work[i] = (cplx_t){ sig[at + i] * a->window[i], 0 };
        fft(&a->plan, work, +1);
        for (unsigned k = kc; k <= n - kc; k++) work[k] = (cplx_t){ 0, 0 };
        fft(&a->plan, work, -1);
        for (unsigned i = 0; i < n; i++) dst[at + i] += (float) (work[i].re / n);
    }
    for (size_t i = 0; i < len; i++) ss += (double) dst[i] * dst[i];
    return sqrt(ss / len);
}

int main(void)
{
    enum { LEN = 640000, NFFT = 512, HOP = 128 };
    const double rate = 16000.0;
    float *sig = malloc(LEN * sizeof *sig), *dst = malloc(LEN * sizeof *dst);
    features_t ft = { .frames = (LEN - NFFT) / HOP + 1, .pitch = NFFT / 2 + 16 };
    uint32_t seed = 1u;
    int rc = E_MEM, w;

    ft.power = calloc(ft.frames * ft.pitch, sizeof(double));
    ft.mel = calloc(ft.frames * N_MEL, sizeof(double));
    ft.flux = calloc(ft.frames, sizeof(double));
    ft.peak = calloc(ft.frames, sizeof(unsigned));
    if (!sig || !dst || !ft.power || !ft.mel || !ft.flux || !ft.peak) goto out;
    for (int i = 0; i < LEN; i++) {
        double t = i / rate;
        seed = seed * 1103515245u + 12345u;
        sig[i] = (float) (0.6 * sin(2 * M_PI * (200 + 60 * t) * t) + 0.3 * sin(2 * M_PI * 3100 * t) * (fmod(t, 0.5) < 0.1)
                          + 0.05 * ((seed >> 16) / 32768.0 - 1.0));
    }
    for (w = 0; window_table[w].name; w++) {
        analyser_t an;
        if ((rc = analyser_init(&an, NFFT, HOP, rate, window_table[w].fn)) == E_OK) {
            double mel = 0, flux = 0, rms, centroid = 0;
            analyse(&an, sig, &ft);
            rms = resynthesise(&an, sig, dst, LEN, 2000.0);
            for (size_t f = 0; f < ft.frames; f++) {
                flux += ft.flux[f];
                centroid += ft.peak[f] * rate / NFFT;
                for (int b = 0; b < N_MEL; b++) mel += ft.mel[f * N_MEL + b];
            }
            printf("%-9s frames %zu mel %.6g flux %.6g peak %.6g rms %.6g\n", window_table[w].name, ft.frames,
                   mel / (ft.frames * N_MEL), flux / ft.frames, centroid / ft.frames, rms);
        }
        analyser_free(&an);
        if (rc != E_OK) break;
    }
out:
    free(sig); free(dst); free(ft.power); free(ft.mel); free(ft.flux); free(ft.peak);
    return rc;
}

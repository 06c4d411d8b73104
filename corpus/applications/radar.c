/* Pulse-Doppler processing chain on synthetic data.
 *
 * usage: radar [pulses] [gates] [filters]      (pulses, gates: powers of two)
 *
 * For each filter of the bank (LFM replicas with slightly different chirp
 * rate, to catch dispersive targets):
 *      fast time  - matched filter in the frequency domain, per pulse
 *      slow time  - Hamming window and FFT, per range gate
 *      CA-CFAR along range in each Doppler bin
 */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef double complex cplx;

struct fft {
  size_t n;
  size_t *rev;
  cplx *tw;                     /* n/2 forward twiddles */
};

struct target {
  double range;                 /* gates */
  double doppler;               /* cycles per pulse */
  double amp;
  double rate;                  /* chirp rate factor */
};

struct detection {
  size_t dop, gate;
  double snr;
};

static const struct target scene[] = {
  { 120.3,  0.110, 0.55, 1.00 },
  { 310.0, -0.230, 0.35, 1.00 },
  { 311.5,  0.035, 0.40, 1.02 },
  { 555.8,  0.410, 0.25, 0.98 },
  { 702.1, -0.060, 0.80, 1.04 },
};
#define NTARGETS (sizeof scene / sizeof scene[0])

enum { GUARD = 3, TRAIN = 16, PULSE_LEN = 128 };

static void die(const char *msg)
{
  fprintf(stderr, "radar: %s\n", msg);
  exit(2);
}

/* contiguous rows behind an array of row pointers */
static cplx **matrix_new(size_t rows, size_t cols)
{
  cplx **m = malloc(rows * sizeof *m);
  cplx *block = calloc(rows * cols, sizeof *block);
  if (m == NULL || block == NULL)
    die("no memory");
  for (size_t r = 0; r < rows; r++)
    m[r] = block + r * cols;
  return m;
}

static void fft_init(struct fft *f, size_t n)
{
  f->n = n;
  f->rev = malloc(n * sizeof *f->rev);
  f->tw = malloc(n / 2 * sizeof *f->tw);
  if (!f->rev || !f->tw)
    die("no memory");
  f->rev[0] = 0;
  for (size_t i = 1; i < n; i++)
    f->rev[i] = f->rev[i / 2] / 2 + (i % 2 ? n / 2 : 0);
  for (size_t i = 0; i < n / 2; i++)
    f->tw[i] = cexp(-2.0 * M_PI * I * (double) i / (double) n);
}

/* in place, decimation in time; dir < 0: inverse, scaled by 1/n */
static void fft_run(const struct fft *f, cplx *a, int dir)
{
  size_t n = f->n;
  for (size_t i = 0; i < n; i++) {
    size_t j = f->rev[i];
    if (i < j) {
      cplx t = a[i];
      a[i] = a[j];
      a[j] = t;
    }
  }
  for (size_t len = 1; len < n; len *= 2) {
    size_t stride = n / (2 * len);
    for (size_t base = 0; base < n; base += 2 * len)
      for (size_t k = 0; k < len; k++) {
        double wr = creal(f->tw[k * stride]);
        double wi = dir < 0 ? -cimag(f->tw[k * stride]) : cimag(f->tw[k * stride]);
        double br = creal(a[base + k + len]), bi = cimag(a[base + k + len]);
        double tr = br * wr - bi * wi, ti = br * wi + bi * wr;
        cplx u = a[base + k];
        a[base + k] = (creal(u) + tr) + I * (cimag(u) + ti);
        a[base + k + len] = (creal(u) - tr) + I * (cimag(u) - ti);
      }
  }
  if (dir < 0)
    for (size_t i = 0; i < n; i++)
      a[i] /= (double) n;
}

static double noise(unsigned long *s)
{
  double sum = 0;                       /* sum of uniforms is Gaussian enough */
  for (int k = 0; k < 6; k++) {
    *s = (*s * 1103515245UL + 12345UL) & 0x7fffffffUL;
    sum += (double) (*s >> 8) / (double) (1UL << 23);
  }
  return (sum - 3.0) * M_SQRT2;
}

static cplx chirp(double t, double rate)
{
  if (t < 0 || t >= PULSE_LEN)
    return 0;
  double ph = M_PI * rate * (t - PULSE_LEN / 2.0) * (t - PULSE_LEN / 2.0) / (2.0 * PULSE_LEN);
  return cos(ph) + I * sin(ph);
}

static void simulate(size_t np, size_t ng, cplx **echo)
{
  /* OMP: parallel for */
  for (size_t p = 0; p < np; p++) {
    unsigned long seed = 77777UL + 7919UL * p;
    cplx *row = echo[p];
    for (size_t g = 0; g < ng; g++) {
      double re = noise(&seed), im = noise(&seed);
      row[g] = re + I * im;
    }
    for (const struct target *t = scene; t < scene + NTARGETS; t++) {
      double ph = 2 * M_PI * t->doppler * (double) p;
      cplx a = t->amp * (cos(ph) + I * sin(ph));
      double r0 = t->range * (double) ng / 1024.0;
      for (size_t g = 0; g < ng; g++)
        row[g] += a * chirp((double) g - r0, t->rate);
    }
  }
}

/* all spectra once; they are used by each filter of the bank */
static void transform_rows(const struct fft *f, size_t np, cplx **m)
{
  /* OMP: parallel for schedule(static) */
  for (size_t p = 0; p < np; p++)
    fft_run(f, m[p], +1);
}

static void make_replica(const struct fft *f, double rate, cplx *ref)
{
  double energy = 0;
  for (size_t g = 0; g < f->n; g++) {
    double ham = 0.54 - 0.46 * cos(2 * M_PI * (double) g / (PULSE_LEN - 1));
    ref[g] = g < PULSE_LEN ? ham * chirp((double) g, rate) : 0;
    energy += creal(ref[g] * conj(ref[g]));
  }
  fft_run(f, ref, +1);
  for (size_t g = 0; g < f->n; g++)
    ref[g] = conj(ref[g]) / sqrt(energy);
}

static void compress(const struct fft *f, size_t np, cplx **spec, const cplx *ref, cplx **out)
{
  /* OMP: parallel for schedule(static) */
  for (size_t p = 0; p < np; p++) {
    cplx *o = out[p];
    const cplx *s = spec[p];
    for (size_t g = 0; g < f->n; g++)
      o[g] = s[g] * ref[g];
    fft_run(f, o, -1);
  }
}

static void doppler(const struct fft *f, size_t ng, const double *win, cplx **m)
{
  size_t np = f->n;
  /* OMP: parallel for */
  for (size_t g = 0; g < ng; g++) {
    cplx col[np];
    for (size_t p = 0; p < np; p++)
      col[p] = win[p] * m[p][g];
    fft_run(f, col, +1);
    for (size_t p = 0; p < np; p++)
      m[(p + np / 2) % np][g] = col[p];         /* zero Doppler to the middle */
  }
}

static double power(cplx z)
{
  return creal(z) * creal(z) + cimag(z) * cimag(z);
}

/* SNR map of the cells over threshold (0 elsewhere); returns their number */
static long cfar(size_t nd, size_t ng, cplx **map, double factor, float (*snr)[ng])
{
  long hits = 0;
  /* OMP: parallel for reduction(+:hits) */
  for (size_t d = 0; d < nd; d++) {
    double pw[ng];
    for (size_t g = 0; g < ng; g++)
      pw[g] = power(map[d][g]);
    for (size_t g = 0; g < ng; g++) {
      double lead = 0, lag = 0, level;
      int nl = 0, nr = 0;
      snr[d][g] = 0;
      for (size_t k = GUARD + 1; k <= GUARD + TRAIN; k++) {
        if (g >= k) { lag += pw[g - k]; nl++; }
        if (g + k < ng) { lead += pw[g + k]; nr++; }
      }
      if (nl == 0)
        level = lead / nr;
      else if (nr == 0)
        level = lag / nl;
      else                                      /* greatest-of */
        level = fmax(lead / nr, lag / nl);
      if (pw[g] <= factor * level)
        continue;
      snr[d][g] = (float) (10 * log10(pw[g] / level));
      hits++;
    }
  }
  return hits;
}

static int by_snr(const void *pa, const void *pb)
{
  const struct detection *a = pa, *b = pb;
  if (a->snr != b->snr)
    return a->snr < b->snr ? 1 : -1;
  if (a->dop != b->dop)
    return a->dop < b->dop ? -1 : 1;
  return a->gate < b->gate ? -1 : a->gate > b->gate;
}

static int power_of_two(long v)
{
  return v >= 4 && (v & (v - 1)) == 0;
}

int main(int argc, char **argv)
{
  long a1 = argc > 1 ? atol(argv[1]) : 512;
  long a2 = argc > 2 ? atol(argv[2]) : 2048;
  int nfilt = argc > 3 ? atoi(argv[3]) : 8;
  if (!power_of_two(a1) || !power_of_two(a2) || a2 < 2 * PULSE_LEN || nfilt < 1)
    die("usage: radar [pulses] [gates >= 256] [filters], sizes are powers of two");
  size_t np = (size_t) a1, ng = (size_t) a2;

  struct fft fast, slow;
  fft_init(&fast, ng);
  fft_init(&slow, np);
  cplx **echo = matrix_new(np, ng), **map = matrix_new(np, ng);
  cplx *ref = malloc(ng * sizeof *ref);
  float (*snr)[ng] = malloc(np * sizeof *snr);
  double win[np];
  if (!ref || !snr)
    die("no memory");
  for (size_t p = 0; p < np; p++)
    win[p] = 0.54 - 0.46 * cos(2 * M_PI * (double) p / (double) (np - 1));

  simulate(np, ng, echo);
  transform_rows(&fast, np, echo);

  for (int k = 0; k < nfilt; k++) {
    double rate = 1.0 + 0.02 * (k - nfilt / 2);
    make_replica(&fast, rate, ref);
    compress(&fast, np, echo, ref, map);
    doppler(&slow, ng, win, map);
    long hits = cfar(np, ng, map, 14.0, snr);

    double total = 0;
    struct detection *list = malloc((size_t) (hits + 1) * sizeof *list);
    long n = 0;
    if (!list)
      die("no memory");
    for (size_t d = 0; d < np; d++)
      for (size_t g = 0; g < ng; g++)
        if (snr[d][g] > 0) {
          list[n++] = (struct detection) { d, g, snr[d][g] };
          total += snr[d][g];
        }
    qsort(list, (size_t) n, sizeof *list, by_snr);
    printf("rate %.2f: %ld hits, mean snr %.5e;", rate, hits, n ? total / (double) n : 0.0);
    for (long i = 0; i < n && i < 3; i++)
      printf(" [%zu,%zu %.3f]", list[i].dop, list[i].gate, list[i].snr);
    printf("\n");
    free(list);
  }
  free(snr);
  free(ref);
  return 0;
}

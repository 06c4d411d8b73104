/* Radix-2 Fourier transforms of many frames: a spectrogram. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct { double re, im; } cplx;

struct plan {
  size_t n;
  cplx *twiddle;
  size_t *reversed;
};

static struct plan make_plan(size_t n)
{
  struct plan p = {n, malloc(n / 2 * sizeof(cplx)), malloc(n * sizeof(size_t))};
  for (size_t k = 0; k < n / 2; k++) {
    p.twiddle[k].re = cos(2 * 3.141592653589793 * k / n);
    p.twiddle[k].im = -sin(2 * 3.141592653589793 * k / n);
  }
  p.reversed[0] = 0;
  for (size_t i = 1; i < n; i++)
    p.reversed[i] = p.reversed[i >> 1] >> 1 | (i & 1 ? n >> 1 : 0);
  return p;
}

static void transform(const struct plan *p, cplx *x)
{
  for (size_t i = 0; i < p->n; i++) {
    size_t j = p->reversed[i];
    if (i < j) {
      cplx t = x[i];
      x[i] = x[j];
      x[j] = t;
    }
  }
  for (size_t half = 1; half < p->n; half *= 2) {
    size_t stride = p->n / (2 * half);
    for (size_t block = 0; block < p->n; block += 2 * half)
      for (size_t k = 0; k < half; k++) {
        cplx w = p->twiddle[k * stride], a = x[block + k], b = x[block + k + half], c;
        c.re = b.re * w.re - b.im * w.im;
        c.im = b.re * w.im + b.im * w.re;
        x[block + k].re = a.re + c.re;
        x[block + k].im = a.im + c.im;
        x[block + k + half].re = a.re - c.re;
        x[block + k + half].im = a.im - c.im;
      }
  }
}

static void power(const cplx *x, double *spectrum, size_t n)
{
  for (size_t k = 0; k < n / 2; k++)
    spectrum[k] += x[k].re * x[k].re + x[k].im * x[k].im;
}

int main(int argc, char **argv)
{
  size_t wanted = argc > 1 ? (size_t)atoi(argv[1]) : 512, n = 16;
  long frames = argc > 2 ? atol(argv[2]) : 72000;
  while (n * 2 <= wanted)
    n *= 2;
  struct plan p = make_plan(n);
  cplx *x = malloc(n * sizeof *x);
  double *spectrum = calloc(n, sizeof *spectrum), sum = 0;
  struct timespec t0, t1;
  clock_gettime(CLOCK_MONOTONIC, &t0);
  for (long f = 0; f < frames; f++) {
    for (size_t i = 0; i < n; i++) {
      x[i].re = (double)((f * 31 + (long)i * (long)i) % 128) / 64 - 1;
      x[i].im = 0;
    }
    transform(&p, x);
    power(x, spectrum, n);
  }
  clock_gettime(CLOCK_MONOTONIC, &t1);
  for (size_t k = 0; k < n / 2; k++)
    sum += spectrum[k] * (1 + k % 7);
  printf("%.8e\n", sum);
  fprintf(stderr, "%.6f\n", (double)(t1.tv_sec - t0.tv_sec) + 1e-9 * (double)(t1.tv_nsec - t0.tv_nsec));
  return 0;
}

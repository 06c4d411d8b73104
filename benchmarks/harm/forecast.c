/* An autoregressive model is fitted to a series step by step, and forecasts each next value. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct series {
  long length;
  double *value;
};

struct model {
  int order;
  double *weight;
  double rate;
};

static double forecast(const struct model *m, const struct series *s, long t)
{
  double sum = 0;
  for (int k = 0; k < m->order; k++)
    sum += m->weight[k] * s->value[t - 1 - k];
  return sum;
}

static double power(const struct series *s, long t, int order)
{
  double p = 1e-6;
  for (int k = 1; k <= order; k++)
    p += s->value[t - k] * s->value[t - k];
  return p;
}

static void learn(struct model *m, const struct series *s, long t, double error)
{
  double step = m->rate * error / power(s, t, m->order);
  for (int k = 0; k < m->order; k++)
    m->weight[k] += step * s->value[t - 1 - k];
}

static double follow(struct model *m, const struct series *s)
{
  double squares = 0;
  for (long t = m->order; t < s->length; t++) {
    double error = s->value[t] - forecast(m, s, t);
    learn(m, s, t, error);
    squares += error * error;
  }
  return squares;
}

/* Each value is a mean of those before it: nothing here can run at once. */
static void smooth(struct series *s, int window)
{
  for (long t = window; t < s->length; t++) {
    double mean = 0;
    for (int k = 1; k <= window; k++)
      mean += s->value[t - k];
    s->value[t] = 0.6 * s->value[t] + 0.4 * mean / window;
  }
}

int main(int argc, char **argv)
{
  struct series s = {argc > 1 ? atol(argv[1]) : 30000, NULL};
  struct model m = {12, NULL, 0.3};
  int times = argc > 2 ? atoi(argv[2]) : 90;
  double total = 0;
  struct timespec t0, t1;

  s.value = malloc(s.length * sizeof *s.value);
  m.weight = calloc(m.order, sizeof *m.weight);
  clock_gettime(CLOCK_MONOTONIC, &t0);
  for (int k = 0; k < times; k++) {
    for (long t = 0; t < s.length; t++)
      s.value[t] = (t * (7 + k % 3) % 200 - 100) / 50.0;
    smooth(&s, 6);
    total += follow(&m, &s);
  }
  clock_gettime(CLOCK_MONOTONIC, &t1);
  printf("%.7e\n", sqrt(total));
  fprintf(stderr, "%.6f\n", (t1.tv_sec - t0.tv_sec) + 1e-9 * (t1.tv_nsec - t0.tv_nsec));
  return 0;
}

/* Audio in blocks: every channel goes through a cascade of second-order sections, then all are mixed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define BLOCK 64
#define SECTIONS 4

struct section { double b0, b1, b2, a1, a2, z1, z2; };

struct channel {
  struct section filter[SECTIONS];
  double gain, pan;
  double buffer[BLOCK];
};

struct mixer {
  int channels;
  struct channel *channel;
  double left[BLOCK], right[BLOCK];
};

static double tick(struct section *s, double x)
{
  double y = s->b0 * x + s->z1;
  s->z1 = s->b1 * x - s->a1 * y + s->z2;
  s->z2 = s->b2 * x - s->a2 * y;
  return y;
}

static void filter_block(struct channel *c)
{
  for (int i = 0; i < BLOCK; i++)
    for (int k = 0; k < SECTIONS; k++)
      c->buffer[i] = tick(&c->filter[k], c->buffer[i]);
}

static void mix(struct mixer *m)
{
  for (int i = 0; i < BLOCK; i++)
    m->left[i] = m->right[i] = 0;
  for (int c = 0; c < m->channels; c++) {
    const struct channel *from = &m->channel[c];
    for (int i = 0; i < BLOCK; i++) {
      m->left[i] += from->buffer[i] * from->gain * (1 - from->pan);
      m->right[i] += from->buffer[i] * from->gain * from->pan;
    }
  }
}

static double peak(const double *x, double before)
{
  for (int i = 0; i < BLOCK; i++)
    if (fabs(x[i]) > before)
      before = fabs(x[i]);
  return before;
}

static void setup(struct mixer *m, int channels)
{
  m->channels = channels;
  m->channel = calloc(channels, sizeof *m->channel);
  for (int c = 0; c < channels; c++) {
    m->channel[c].gain = 1.0 / (1 + c);
    m->channel[c].pan = (double)c / channels;
    for (int k = 0; k < SECTIONS; k++) {
      struct section s = {0.2 + 0.01 * c, 0.3, 0.2, -0.4 + 0.02 * k, 0.1, 0, 0};
      m->channel[c].filter[k] = s;
    }
  }
}

int main(int argc, char **argv)
{
  int channels = argc > 1 ? atoi(argv[1]) : 8, blocks = argc > 2 ? atoi(argv[2]) : 30000;
  struct mixer m;
  double loudest = 0, sum = 0;
  struct timespec t0, t1;

  setup(&m, channels);
  clock_gettime(CLOCK_MONOTONIC, &t0);
  for (int b = 0; b < blocks; b++) {
    for (int c = 0; c < m.channels; c++) {
      for (int i = 0; i < BLOCK; i++)
        m.channel[c].buffer[i] = ((b * BLOCK + i) * (c + 3) % 200 - 100) / 100.0;
      filter_block(&m.channel[c]);
    }
    mix(&m);
    loudest = peak(m.left, peak(m.right, loudest));
    for (int i = 0; i < BLOCK; i++)
      sum += m.left[i] * m.left[i] + m.right[i];
  }
  clock_gettime(CLOCK_MONOTONIC, &t1);
  printf("%.8f %.6e\n", loudest, sum);
  fprintf(stderr, "%.6f\n", (t1.tv_sec - t0.tv_sec) + 1e-9 * (t1.tv_nsec - t0.tv_nsec));
  free(m.channel);
  return 0;
}

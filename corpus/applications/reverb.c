/* reverb.c -- block-based multichannel convolution "rack".

   Every channel runs through a bank of FIR filters (early reflections,
   two body filters and a tail), is scaled, limited and finally mixed down to
   stereo.  The channel sources are synthesised, so nothing is read.

   Usage: reverb [CHANNELS [BLOCKS]]  */

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RATE        48000
#define BLOCK       2048
#define MAX_TAPS    192
#define THRESHOLD   0.70f

enum filter_id { EARLY, BODY_LO, BODY_HI, TAIL, NUM_FILTERS };

struct fir
{
  size_t ntaps;
  float *taps;
};

struct peak_stats
{
  double peak_in;
  double peak_out;
  double sum_sq;
  size_t limited;
};

struct channel
{
  char name[16];
  float *line;                  /* MAX_TAPS of history, then one block */
  float *wet;                   /* the whole processed track */
  float gain;
  float pan;
  float send[NUM_FILTERS];
  float envelope;
  double freq;
  unsigned int seed;
  struct peak_stats stats;
};

static void *
xmalloc (size_t size)
{
  void *p = malloc (size);
  if (p == NULL)
    abort ();
  return p;
}

static float
noise (unsigned int *state)
{
  *state = *state * 1664525u + 1013904223u;
  return (float) (*state >> 8) / 8388608.0f - 1.0f;
}

static void
fir_init (struct fir *f, enum filter_id id)
{
  unsigned int seed = 77u + (unsigned int) id;
  float sum = 0.0f;
  size_t k;

  switch (id)
    {
    case EARLY:
      f->ntaps = 64;
      break;
    case BODY_LO:
    case BODY_HI:
      f->ntaps = 96;
      break;
    default:
      f->ntaps = MAX_TAPS;
      break;
    }
  f->taps = xmalloc (f->ntaps * sizeof *f->taps);
  for (k = 0; k < f->ntaps; k++)
    {
      float t = (float) k / (float) f->ntaps;
      float w = 0.5f - 0.5f * cosf (2.0f * (float) M_PI * t);
      switch (id)
        {
        case EARLY:
          f->taps[k] = (k % 11 == 0) ? expf (-3.0f * t) : 0.0f;
          break;
        case BODY_LO:
          f->taps[k] = w;
          break;
        case BODY_HI:
          f->taps[k] = (k & 1) ? -w : w;
          break;
        default:
          f->taps[k] = noise (&seed) * expf (-5.0f * t);
          break;
        }
      sum += fabsf (f->taps[k]);
    }
  for (k = 0; k < f->ntaps; k++)
    f->taps[k] /= sum;
}

/* OUT += GAIN * (F conv IN).  IN must have F->ntaps - 1 samples before it.  */
static void
fir_run (const struct fir *f, const float *in, float *out, size_t n,
         float gain)
{
  while (n-- > 0)
    {
      const float *x = in++;
      const float *h = f->taps;
      const float *end = h + f->ntaps;
      float acc = 0.0f;

      while (h < end)
        acc += *h++ * *x--;
      *out++ += gain * acc;
    }
}

static float
limit (float x, float *envelope)
{
  float level = fabsf (x);

  /* Fast attack, slow release.  */
  *envelope = level > *envelope ? level : 0.9995f * *envelope + 0.0005f * level;
  return *envelope > THRESHOLD ? x * (THRESHOLD / *envelope) : x;
}

static void
channel_init (struct channel *c, size_t index, size_t frames)
{
  snprintf (c->name, sizeof c->name, "ch%02u", (unsigned int) (index % 100));
  c->line = xmalloc ((MAX_TAPS + BLOCK) * sizeof *c->line);
  memset (c->line, 0, MAX_TAPS * sizeof *c->line);
  c->wet = xmalloc (frames * sizeof *c->wet);
  c->gain = 1.6f + 0.25f * (float) (index % 5);
  c->pan = (float) (index % 7) / 6.0f;
  for (int k = 0; k < NUM_FILTERS; k++)
    c->send[k] = 0.35f + 0.1f * (float) ((index + (size_t) k) % 4);
  c->envelope = 0.0f;
  c->freq = 110.0 * pow (2.0, (double) (index * 5 % 24) / 12.0);
  c->seed = 12345u + 977u * (unsigned int) index;
  memset (&c->stats, 0, sizeof c->stats);
}

/* The instrument: a decaying chord, struck twice a second, with some hiss.  */
static void
synth_block (struct channel *c, float *dst, size_t start)
{
  const double w = 2.0 * M_PI * c->freq / RATE;

  for (size_t n = 0; n < BLOCK; n++)
    {
      size_t t = start + n;
      double decay = exp (-6.0 * (double) (t % (RATE / 2)) / RATE);
      double s = sin (w * (double) t) + 0.5 * sin (1.5 * w * (double) t);
      dst[n] = (float) (0.6 * decay * s) + 0.02f * noise (&c->seed);
    }
}

static void
process_block (struct channel *c, const struct fir *bank, size_t start)
{
  float *in = c->line + MAX_TAPS;
  float *out = c->wet + start;
  float *acc = xmalloc (BLOCK * sizeof *acc);
  struct peak_stats *st = &c->stats;
  size_t n;
  int k;

  synth_block (c, in, start);
  for (n = 0; n < BLOCK; n++)
    acc[n] = 0.4f * in[n];
  for (k = 0; k < NUM_FILTERS; k++)
    fir_run (&bank[k], in, acc, BLOCK, c->send[k]);

  for (n = 0; n < BLOCK; n++)
    {
      float x = c->gain * acc[n];
      float y = limit (x, &c->envelope);

      if (fabsf (x) > st->peak_in)
        st->peak_in = fabsf (x);
      if (fabsf (y) > st->peak_out)
        st->peak_out = fabsf (y);
      if (c->envelope > THRESHOLD)
        st->limited++;
      st->sum_sq += (double) y * y;
      out[n] = y;
    }
  memmove (c->line, c->line + BLOCK, MAX_TAPS * sizeof *c->line);
  free (acc);
}

static void
mix_down (const struct channel *rack, size_t nch, float (*stereo)[2],
          size_t frames)
{
  const float scale = 1.0f / sqrtf ((float) nch);

  /* OMP: parallel for schedule(static) */
  for (size_t n = 0; n < frames; n++)
    {
      float left = 0.0f, right = 0.0f;
      for (size_t c = 0; c < nch; c++)
        {
          left += (1.0f - rack[c].pan) * rack[c].wet[n];
          right += rack[c].pan * rack[c].wet[n];
        }
      stereo[n][0] = scale * left;
      stereo[n][1] = scale * right;
    }
}

int
main (int argc, char **argv)
{
  size_t nch = argc > 1 ? strtoul (argv[1], NULL, 10) : 8;
  size_t nblocks = argc > 2 ? strtoul (argv[2], NULL, 10) : 120;
  size_t frames = nblocks * BLOCK;
  struct fir bank[NUM_FILTERS];
  struct channel *rack;
  float (*stereo)[2];
  size_t c, n;

  if (nch == 0 || nblocks == 0 || nch > 256)
    {
      fprintf (stderr, "usage: %s [channels [blocks]]\n", argv[0]);
      return EXIT_FAILURE;
    }

  for (int k = 0; k < NUM_FILTERS; k++)
    fir_init (&bank[k], (enum filter_id) k);
  rack = xmalloc (nch * sizeof *rack);
  for (c = 0; c < nch; c++)
    channel_init (&rack[c], c, frames);
  stereo = xmalloc (frames * sizeof *stereo);

  for (size_t start = 0; start < frames; start += BLOCK)
    {
      /* OMP: parallel for schedule(dynamic,1) */
      for (c = 0; c < nch; c++)
        process_block (&rack[c], bank, start);
    }

  mix_down (rack, nch, stereo, frames);

  /* Master bus: one linked limiter, so strictly in order.  */
  float env = 0.0f;
  for (n = 0; n < frames; n++)
    {
      float l = fabsf (stereo[n][0]), r = fabsf (stereo[n][1]);
      float level = l > r ? l : r;
      float limited = limit (level, &env);
      float g = level > 1e-9f ? limited / level : 1.0f;
      stereo[n][0] *= g;
      stereo[n][1] *= g;
    }

  double peak = 0.0, sum_l = 0.0, sum_r = 0.0;
  /* OMP: parallel for reduction(max:peak) reduction(+:sum_l,sum_r) */
  for (n = 0; n < frames; n++)
    {
      double l = stereo[n][0], r = stereo[n][1];
      double m = fmax (fabs (l), fabs (r));
      peak = m > peak ? m : peak;
      sum_l += l * l;
      sum_r += r * r;
    }

  for (c = 0; c < nch; c++)
    printf ("%s in %.5e out %.5e rms %.5e limited %zu\n", rack[c].name,
            rack[c].stats.peak_in, rack[c].stats.peak_out,
            sqrt (rack[c].stats.sum_sq / (double) frames),
            rack[c].stats.limited);
  printf ("master peak %.5e rms %.5e %.5e\n", peak,
          sqrt (sum_l / (double) frames), sqrt (sum_r / (double) frames));

  for (c = 0; c < nch; c++)
    {
      free (rack[c].line);
      free (rack[c].wet);
    }
  for (int k = 0; k < NUM_FILTERS; k++)
    free (bank[k].taps);
  free (rack);
  free (stereo);
  return EXIT_SUCCESS;
}

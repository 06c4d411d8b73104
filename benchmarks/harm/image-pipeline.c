/* A grey image is blurred in two passes, its gradient taken, and what is strong kept: rows have a pitch. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct image {
  int width, height, pitch;
  float *px;
};

#define PX(im, x, y) ((im)->px[(y) * (im)->pitch + (x)])

static const float taps[9] = {0.02f, 0.05f, 0.12f, 0.18f, 0.26f, 0.18f, 0.12f, 0.05f, 0.02f};

static struct image *image_new(int w, int h)
{
  struct image *im = malloc(sizeof *im);
  im->width = w;
  im->height = h;
  im->pitch = (w + 15) / 16 * 16;
  im->px = calloc((size_t)im->pitch * h, sizeof(float));
  return im;
}

static int clampi(int v, int lo, int hi)
{
  return v < lo ? lo : v > hi ? hi : v;
}

static void blur_rows(const struct image *in, struct image *out)
{
  for (int y = 0; y < in->height; y++)
    for (int x = 0; x < in->width; x++) {
      float s = 0;
      for (int d = -4; d <= 4; d++)
        s += taps[d + 4] * PX(in, clampi(x + d, 0, in->width - 1), y);
      PX(out, x, y) = s;
    }
}

static void blur_columns(const struct image *in, struct image *out)
{
  for (int y = 0; y < in->height; y++)
    for (int x = 0; x < in->width; x++) {
      float s = 0;
      for (int d = -4; d <= 4; d++)
        s += taps[d + 4] * PX(in, x, clampi(y + d, 0, in->height - 1));
      PX(out, x, y) = s;
    }
}

static void gradient(const struct image *in, struct image *out)
{
  for (int y = 1; y < in->height - 1; y++)
    for (int x = 1; x < in->width - 1; x++) {
      float gx = PX(in, x + 1, y) - PX(in, x - 1, y);
      float gy = PX(in, x, y + 1) - PX(in, x, y - 1);
      PX(out, x, y) = sqrtf(gx * gx + gy * gy);
    }
}

static long keep_strong(struct image *im, float level)
{
  long kept = 0;
  for (int y = 0; y < im->height; y++)
    for (int x = 0; x < im->width; x++) {
      if (PX(im, x, y) < level)
        PX(im, x, y) = 0;
      else
        kept++;
    }
  return kept;
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 640, times = argc > 2 ? atoi(argv[2]) : 60;
  struct image *a = image_new(n + 83, n), *b = image_new(n + 83, n), *c = image_new(n + 83, n);
  struct timespec t0, t1;
  long kept = 0;
  double sum = 0;

  for (int y = 0; y < a->height; y++)
    for (int x = 0; x < a->width; x++)
      PX(a, x, y) = (float)((x * 7 + y * 13 + x * y % 31) % 256);
  clock_gettime(CLOCK_MONOTONIC, &t0);
  for (int k = 0; k < times; k++) {
    blur_rows(a, b);
    blur_columns(b, c);
    gradient(c, b);
    kept += keep_strong(b, 3.003f + 0.01f * k);
  }
  clock_gettime(CLOCK_MONOTONIC, &t1);
  for (int y = 0; y < b->height; y++)
    for (int x = 0; x < b->width; x++)
      sum += PX(c, x, y) * (1 + (x + y) % 5);
  printf("%.8e %d\n", sum, kept > 0);
  fprintf(stderr, "%.6f\n", (t1.tv_sec - t0.tv_sec) + 1e-9 * (t1.tv_nsec - t0.tv_nsec));
  return 0;
}

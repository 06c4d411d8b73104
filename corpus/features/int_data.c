/* Integers of several widths: arithmetic, shifts, division and remainder. */
#include <stdio.h>

#define N 100

static int a[N], b[N];
static unsigned char bytes[N];
static short shorts[N];
static long longs[N];

static void arithmetic(void)
{
  for (int i = 0; i < N; i++)
    b[i] = (a[i] << 2) - a[i] / 3 + a[i] % 5;
}

static void widths(void)
{
  for (int i = 0; i < N; i++) {
    bytes[i] = (unsigned char)(b[i] & 0xff);
    shorts[i] = (short)(b[i] % 1000);
    longs[i] = (long)b[i] * 100000L;
  }
}

int main(void)
{
  int sum_b = 0, sum_bytes = 0, sum_shorts = 0;
  long sum_longs = 0;

  for (int i = 0; i < N; i++)
    a[i] = (i * 37) % 601 - 250;
  for (int i = 0; i < N; i++)
    a[i] = a[i] < 0 ? -a[i] : a[i];
  arithmetic();
  widths();
  for (int i = 0; i < N; i++) {
    sum_b += b[i] * (i + 1);
    sum_bytes += bytes[i] * (i + 1);
    sum_shorts += shorts[i] * (i + 1);
    sum_longs += longs[i] * (i + 1);
  }
  printf("%d %d %d %ld\n", sum_b, sum_bytes, sum_shorts, sum_longs);
  return 0;
}

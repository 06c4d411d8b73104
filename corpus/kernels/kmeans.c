/* kmeans: a step of k-means clustering: every point goes to its nearest centre, and every centre to the mean of its
   points. */
#include <stdio.h>

#ifndef N
#define N 1500
#endif
#ifndef K
#define K 12
#endif
#ifndef D
#define D 8
#endif

static double point[N][D], centre[K][D], total[K][D];
static int nearest[N], members[K];

static void init_arrays(void)
{
  unsigned seed = 7u;

  for (int i = 0; i < N; i++)
    for (int d = 0; d < D; d++) {
      seed = seed * 1664525u + 1013904223u;
      point[i][d] = (double)(seed >> 8) / 16777216.0 + 0.1 * (i % K);
    }
  for (int k = 0; k < K; k++)
    for (int d = 0; d < D; d++)
      centre[k][d] = point[k][d];
}

static void kernel_kmeans(void)
{
  for (int i = 0; i < N; i++) {
    double least = 1e300;
    int best = 0;
    for (int k = 0; k < K; k++) {
      double square = 0.0;
      for (int d = 0; d < D; d++)
        square += (point[i][d] - centre[k][d]) * (point[i][d] - centre[k][d]);
      if (square < least) {
        least = square;
        best = k;
      }
    }
    nearest[i] = best;
  }
  for (int k = 0; k < K; k++) {
    members[k] = 0;
    for (int d = 0; d < D; d++)
      total[k][d] = 0.0;
  }
  for (int i = 0; i < N; i++) {
    members[nearest[i]]++;
    for (int d = 0; d < D; d++)
      total[nearest[i]][d] += point[i][d];
  }
  /* a centre without points stays where it is */
  for (int k = 0; k < K; k++)
    if (members[k] > 0)
      for (int d = 0; d < D; d++)
        centre[k][d] = total[k][d] / members[k];
}

int main(void)
{
  init_arrays();
  kernel_kmeans();

  double sum = 0.0, place = 0.0;
  for (int k = 0; k < K; k++)
    for (int d = 0; d < D; d++)
      sum += centre[k][d] * (double)((k * D + d) % 17 + 1);
  for (int i = 0; i < N; i++)
    place += (double)nearest[i] * (double)(i % 17 + 1);
  printf("centre %.10e\n", sum);
  printf("nearest %.10e\n", place);
  return 0;
}

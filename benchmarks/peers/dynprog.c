/* dynprog by hand: the repetitions in parallel, each thread with a table of its own.  Row i is found from left to right:
   when c[i][k] is known, it is tried as the first part of all longer intervals, which has unit stride. */
#include <stdlib.h>
#include <string.h>

static void one_table(int n, double scale, double W[n][n], double c[n][n], double best[n])
{
  memset(c, 0, sizeof(double) * n * n);
  for (int i = n - 3; i >= 0; i--) {
    for (int j = i + 2; j < n; j++)
      best[j] = 1e300;
    for (int k = i + 1; k < n; k++) {
      if (k >= i + 2)
        c[i][k] = scale * W[i][k] + best[k];
      double first = c[i][k];
      #pragma omp simd
      for (int j = k + 1; j < n; j++)
        best[j] = first + c[k][j] < best[j] ? first + c[k][j] : best[j];
    }
  }
}

static void kernel_dynprog(int n, double c[n][n], double W[n][n], double *out)
{
  double sum = 0.0;

  #pragma omp parallel reduction(+ : sum)
  {
    double (*own)[n] = malloc(sizeof(double[n][n]));
    double *best = malloc(sizeof(double) * n);
    #pragma omp for
    for (int t = 0; t < TSTEPS; t++) {
      one_table(n, 1.0 + 0.1 * t, W, own, best);
      sum += own[0][n - 1];
      if (t == TSTEPS - 1)
        memcpy(c, own, sizeof(double) * n * n);
    }
    free(own);
    free(best);
  }
  *out += sum;
}

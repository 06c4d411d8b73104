/* dynprog: the cheapest way to split an interval: c[i][j] = W[i][j] + min over i < k < j of c[i][k] + c[k][j],
   for several scalings of the costs W; arrays of variable length, local to main. */
#include <stdio.h>

#ifndef TSTEPS
#define TSTEPS 10
#endif
#ifndef LENGTH
#define LENGTH 48
#endif

int main(void)
{
  const int n = LENGTH;
  double c[n][n], W[n][n];
  double out = 0.0;

  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      W[i][j] = 1.0 + (double)((i * 7 + j * 11) % 23) / 23.0 + 0.001 * i * j;

  for (int t = 0; t < TSTEPS; t++) {
    /* intervals without a point inside cost nothing to split */
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        c[i][j] = 0.0;
    /* longer intervals from shorter ones: the rows from the bottom, the columns from the diagonal */
    for (int i = n - 3; i >= 0; i--)
      for (int j = i + 2; j < n; j++) {
        double best = c[i][i + 1] + c[i + 1][j];
        for (int k = i + 2; k < j; k++)
          if (c[i][k] + c[k][j] < best)
            best = c[i][k] + c[k][j];
        c[i][j] = (1.0 + 0.1 * t) * W[i][j] + best;
      }
    out += c[0][n - 1];
  }

  double sum = 0.0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      sum += c[i][j] * (double)((i * n + j) % 17 + 1);
  printf("out %.10e\n", out);
  printf("c %.10e\n", sum);
  return 0;
}

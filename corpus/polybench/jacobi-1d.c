/* jacobi-1d: repeated averaging of three neighbours, from one array into another and back. */
#include <stdio.h>

#ifndef TSTEPS
#define TSTEPS 20
#endif
#ifndef N
#define N 1000
#endif

double A[N];
double B[N];

static void init_arrays(void)
{
  for (int i = 0; i < N; i++) {
    A[i] = (double)((i * 37) % 101) / 101.0 + 0.001 * i;
    B[i] = 0.0;
  }
}

static void kernel_jacobi_1d(void)
{
  for (int t = 0; t < TSTEPS; t++) {
    for (int i = 1; i < N - 1; i++)
      B[i] = 0.33333 * (A[i - 1] + A[i] + A[i + 1]);
    /* the ends stay as they are */
    for (int i = 1; i < N - 1; i++)
      A[i] = B[i];
  }
}

int main(void)
{
  init_arrays();
  kernel_jacobi_1d();

  double sum = 0.0;
  for (int i = 0; i < N; i++)
    sum += A[i] * (double)(i % 17 + 1);
  printf("A %.10e\n", sum);
  return 0;
}

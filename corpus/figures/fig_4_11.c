/* Figure 4.11: pairs of loops. Fusion is legal for the first two (a shared input; equal patterns), and not for the
   third, which reads A one element ahead. */
#include <stdio.h>

static double A[9];
static double B[9];
static double C[9];
static double D[9];

static void independent(void)
{
  int i;

  for (i = 0; i < 8; i++) {
    B[i] = A[i];
  }
  for (i = 0; i < 8; i++) {
    C[i] = 2 * A[i];
  }
}

static void equal(void)
{
  int i;

  for (i = 0; i < 8; i++) {
    B[i] = A[i] + 1;
  }
  for (i = 0; i < 8; i++) {
    C[i] = B[i] * B[i];
  }
}

static void shifted(void)
{
  int i;

  for (i = 0; i < 8; i++) {
    A[i] = B[i] + 3;
  }
  for (i = 0; i < 8; i++) {
    D[i] = A[i + 1];
  }
}

static void print(void)
{
  double sum_a = 0.0, sum_b = 0.0, sum_c = 0.0, sum_d = 0.0;

  for (int i = 0; i < 9; i++) {
    sum_a += A[i] * (i + 1);
    sum_b += B[i] * (i + 1);
    sum_c += C[i] * (i + 1);
    sum_d += D[i] * (i + 1);
  }
  printf("A %.10e B %.10e C %.10e D %.10e\n", sum_a, sum_b, sum_c, sum_d);
}

int main(void)
{
  for (int i = 0; i < 9; i++) {
    A[i] = 1.5 * i + 0.25 * i * i;
    B[i] = 10.0 - i;
    C[i] = -0.5 * i;
    D[i] = 0.125 * i;
  }
  independent();
  print();
  equal();
  print();
  shifted();
  print();
  return 0;
}

/* Figure 4.12: pairs of loops that may be fused: the second touches what the first has in the same iteration's chunk
   (row_sums, row_fill), or cells far away (far_offset). */
#include <stdio.h>

static double A[8][4];
static double B[8];
static double C[8];
static double D[8];
static double E[8][4];
static double F[408];
static double G[8];

static void row_sums(void)
{
  int i, j;

  for (i = 0; i < 8; i++) {
    B[i] = 0;
    for (j = 0; j < 4; j++)
      B[i] += A[i][j];
  }
  for (i = 0; i < 8; i++) {
    A[i][2] = C[i];
  }
}

static void row_fill(void)
{
  int i, j;
  double val;

  for (i = 0; i < 8; i++) {
    val = D[i];
    for (j = 0; j < 4; j++)
      E[i][j] = val;
  }
  for (i = 0; i < 8; i++) {
    E[i][0] *= C[0];
    E[i][1] *= C[1];
  }
}

static void far_offset(void)
{
  int i;

  for (i = 0; i < 8; i++) {
    F[i] = 0;
  }
  for (i = 0; i < 8; i++) {
    G[i] = F[i + 400];
  }
}

int main(void)
{
  double sum_a = 0.0, sum_b = 0.0, sum_e = 0.0, sum_f = 0.0, sum_g = 0.0;

  for (int i = 0; i < 8; i++) {
    C[i] = 3.0 - 0.5 * i;
    D[i] = 1.0 + 0.25 * i * i;
    for (int j = 0; j < 4; j++)
      A[i][j] = 4.0 * i + j + 0.5;
  }
  for (int i = 0; i < 408; i++)
    F[i] = 0.01 * i + 1.0;
  row_sums();
  row_fill();
  far_offset();
  for (int i = 0; i < 8; i++) {
    for (int j = 0; j < 4; j++) {
      sum_a += A[i][j] * (i * 4 + j + 1);
      sum_e += E[i][j] * (i * 4 + j + 1);
    }
    sum_b += B[i] * (i + 1);
    sum_g += G[i] * (i + 1);
  }
  for (int i = 0; i < 408; i++)
    sum_f += F[i] * (i + 1);
  printf("A %.10e\n", sum_a);
  printf("B %.10e\n", sum_b);
  printf("E %.10e\n", sum_e);
  printf("F %.10e\n", sum_f);
  printf("G %.10e\n", sum_g);
  return 0;
}

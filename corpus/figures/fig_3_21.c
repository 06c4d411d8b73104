/* Figure 3.21: loops outside of the polyhedral model. */
#include <stdio.h>

static int A[8];
static int B[8];
static double G[8];
static double H[1];
static double P[8];
static double R[50];
static double S[256];
static unsigned char T[8];

/* the step depends on memory */
static void control(void)
{
  int i;

  i = 0;
  while (i < 8) {
    B[i] = A[i];
    i = i + A[i];
  }
}

/* the bound is not affine; all iterations write one cell, and the last one's value stays */
static void bound(void)
{
  int i;

  for (i = 0; i < 8 - i * i; i++) {
    H[0] = G[i];
  }
}

static void condition(void)
{
  int i;

  for (i = 0; i < 8; i++) {
    if (P[i] > 12) {
      P[i] = 0;
    }
  }
}

/* two entries of T may be equal */
static void references(void)
{
  int i;

  for (i = 0; i < 8; i++) {
    S[T[i]] = R[i * i];
  }
}

int main(void)
{
  int sum_b = 0;
  double sum_p = 0.0, sum_s = 0.0;

  for (int i = 0; i < 8; i++) {
    A[i] = 1 + i % 3;
    B[i] = 0;
    G[i] = 0.5 * i + 1.0;
    P[i] = 3.5 * i;
    T[i] = (unsigned char)(i * i * 5 % 200);
  }
  for (int i = 0; i < 50; i++)
    R[i] = 100.0 - i;
  for (int i = 0; i < 256; i++)
    S[i] = 0.1 * i;
  control();
  bound();
  condition();
  references();
  for (int i = 0; i < 8; i++) {
    sum_b += B[i] * (i + 1);
    sum_p += P[i] * (i + 1);
  }
  for (int i = 0; i < 256; i++)
    sum_s += S[i] * (i + 1);
  printf("B %d\n", sum_b);
  printf("H %.10e\n", H[0]);
  printf("P %.10e\n", sum_p);
  printf("S %.10e\n", sum_s);
  return 0;
}

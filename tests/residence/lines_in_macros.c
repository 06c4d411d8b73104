#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static double A[100], B[100];
static void k(void) { for (int i = 0; i < 100; i++) A[i] = A[i] * 2 + i; }

#define LOG(x) printf("%d %g\n", __LINE__, x)
#define CHECK(c) \
  do { \
    if (!(c)) printf("line %d\n", __LINE__); \
  } while (0)
static double two(double a,
                  double b)
{
  k();
  double r = a +
    A[3]
    + b; CHECK(r < 0); return r; }
int main(void) {
  LOG(two(1,
    2)); LOG(A[3]);
  if (A[4] > 0)
    LOG(A[4]); else LOG(A[5]);
  for (int t = 0; t < 2; t++)
    for (int i = 1; i < 99; i++)
      B[i] = A[i];
  CHECK(B[3] < 0); k(); CHECK(A[3]
     < 0); LOG(A[1] +
   A[2]);
  switch ((int)A[0]) { case 0: k(); LOG(A[2]);
    break; default: LOG(A[3]); }
#if 1
  for (int i = 0; i < 100; i++)
    A[i] += 1; LOG(A[3]);
#endif
  LOG(B[2]); }

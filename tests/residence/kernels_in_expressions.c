#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static double A[100], B[100];
static void k(void) { for (int i = 0; i < 100; i++) A[i] = A[i] * 2 + i; }

static double *at(int i) { return &A[i]; }
static int twice(int c) { k(); int r = ({ int z = c; if (z > 2) return 100; k(); z; }) + (int)A[3]; return r; }
static int once(int c) { return c ? ({ k(); (int)A[2]; }) : 5; }
int main(void) {
  double x = 1, y = ({ for (int i = 0; i < 100; i++) A[i] += 2; A[4]; }), z = y + A[5];
  printf("%g %g\n", z, x);
  k(); *({ at(3); }) = A[4]; k(); printf("%g\n", A[3]);
  k(); *({ double *q = at(3); k(); q; }) += 1; k(); printf("%g\n", A[3]);
  printf("%d %d\n", twice(1), twice(3)); printf("%d\n", once(1)); 
  for (int t = ({ k(); 0; }); t < 2; t++) { k(); x += A[1]; } printf("%g\n", x);
  do { x = ({ double w = A[2]; k(); w; }); } while (x < 20); printf("%g\n", x);
  (({ k(); at(2); }))[1] = 7; k(); printf("%g\n", A[3]);
  double v[2] = { ({ k(); A[1]; }), A[2] }, u = ({ v[0]; }) + A[6]; printf("%g %g\n", v[1], u);
  k(); x = ({ lab: A[1] += 1; if (A[1] < 0) goto lab; A[1]; }); k(); printf("%g\n", x + A[1]);
  switch (({ k(); 3; })) { case 3: k(); x = ({ A[0]; }); break; } printf("%g\n", x);
  return 0; }

#include <stdio.h>
#include <stdlib.h>
#define BEGIN {
#define END }
#define FUNC(n, body) static void n(void) body
#define MEASURE(s) do { s } while (0)
#define SEQ(a, b) a b
#define RET(x) return x
#define IFPOS(x) if ((x) > 0)
static double A[100], B[100];
static void k(void) BEGIN for (int i = 0; i < 100; i++) A[i] = A[i] * 2 + i; END
FUNC(k2, { k(); A[3] = 1; k(); })
static double look(void) BEGIN double x = A[3]; RET(x + A[2]); END
static double f(int n) BEGIN double t[100]; for (int i = 0; i < 100; i++) t[i] = i * n; IFPOS(n) A[3] = t[5]; else A[2] = t[6]; for (int i = 0; i < 100; i++) t[i] = A[i]; IFPOS(n - 2) RET(t[4]); IFPOS(n - 3) BEGIN t[4] = 2; END for (int i = 0; i < 100; i++) B[i] = t[i]; RET(B[7]); END
static double g(int n) BEGIN double t[100]; for (int i = 0; i < 100; i++) t[i] = i * n; IFPOS(n) A[3] = t[5]; else A[2] = t[6]; for (int i = 0; i < 100; i++) t[i] = A[i]; IFPOS(n - 2) RET(t[4]); IFPOS(n - 3) BEGIN t[4] = 2; END for (int i = 0; i < 100; i++) B[i] = t[i]; RET(B[7]); END
int main(void) BEGIN
  double x = 1;
  k(); k2(); MEASURE(k(); x += A[3];); SEQ(k();, x += A[4];)
  IFPOS(x) x += A[5]; else x -= A[6];
  k(); x += \
  A[7]; \
  A[8] = 4; k();
#ifdef NOPE
  x = 1;
#else
  x += A[8];
#endif
  k();
  if (x > 3)
#ifdef NOPE
    x = 4;
  else
#endif
    x += A[9]; k();
  for (int i = 0; i < 3; i++) { k(); for (int j = 0; j < 4; j++) x += A[j]; for (int j = 0; j < 100; j++) A[j] += 1; x += look(); }
  x += f(2); x += g(2); double y = g(3), z = f(4); k();
  printf("%g %g %g\n", x, y, z); printf("%g\n", look());
  RET(A[1] > 1e30);
END

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static double A[100], B[100];
static void k(void) { for (int i = 0; i < 100; i++) A[i] = A[i] * 2 + i; }

struct P { int a, b; double v[4]; };
enum { Q = 1 };
static int (*pick(int n))(int) { if (n) { printf("%g\n", A[3]); } return abs; }
static int look(int c) { struct P { int a : 3; int b; } p = { .a = 1, .b = 2 }, q = { c ? 1 : 2, (int)A[3] }; return p.b + q.b; }
static double old(c) int c; { double u[] = { [0] = 1, [1] = A[2] }, w = u[1] + A[3]; return w + c; }
int main(int argc, char **argv) {
  k(); struct P a = { 1, 2, { 3, 4 } }, b = (struct P){ 1, (int)A[2], { A[3] } }; printf("%d %g\n", b.b, b.v[0] + a.a);
  k(); switch (argc) { case 1 ? 1 : 2: default: { } int z = argc > 1 ? 4 : 3, y = A[z]; printf("%d %d\n", z, y); }
  k(); { } double m[2][2] = { { 1 }, { A[1], 2 } }, o = m[1][0] + (argc ? A[2] : 1), *pp = &m[0][1], n = *pp + A[4]; printf("%g %g\n", o, n);
  k(); lab: x: argc = argc > 3 ? 1 : A[2] > 1 ? A[3] > 3 ? 1 : 2 : 3; printf("%d\n", argc); if (argc > 7) { goto lab; goto x; }
  k(); int r = _Generic(A[2], double: 1, default: 2) + A[1], s = sizeof (struct P){ 1 }.v, t = A[3] + s + r; printf("%d\n", t);
  if (argc) k(); else { } int arr[argc ? 3 : 4], e = A[5] + sizeof arr; printf("%d\n", e);
  k(); enum { U = 2, V } en = V, fn = A[2] > 1 ? U : V; printf("%d %d\n", en, fn); pick(1)(2); printf("%d %g\n", look(1), old(2));
  k(); do argc--; while (argc > 0); int d = ({ int g = 3; g; }), h = d + A[4]; printf("%d\n", h); (void)argv;
  k(); for (int i = argc ? 1 : 0, j = 3; i < j; i++) { int l[] = { i, j }, f = l[0] + A[i]; printf("%d\n", f); }
  return 0; }

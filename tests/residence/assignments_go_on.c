#include <stdio.h>
#include <stdlib.h>
/* owners in unusual ways */
static double *keep, *other;
static double *give(double **o) { double *p = NULL; *o = p = malloc(800); for (int i = 0; i < 100; i++) p[i] = i; return *o; }
static double first(double *p) { return p ? p[1] : 0; }
static double arg(void) { double *p = NULL; double x = first(p = calloc(100, 8)); for (int i = 0; i < 100; i++) p[i] = i + x; other = p = calloc(100, 8); for (int i = 0; i < 100; i++) p[i] = p[i] + i; return 1; }
static struct { double *q; } st;
static void member(void) { double *p = 0; st.q = p = malloc(800); for (int i = 0; i < 100; i++) p[i] = 2 * i; }
static double *ret(void) { double *p = 0; if (!p) { return p = calloc(100, 8); } return 0; }
int main(void) {
  double x = 0;
  keep = give(&other);
  x += keep[3];
  x += arg();
  x += other[4];
  member();
  x += st.q[5];
  double *r = ret();
  for (int i = 0; i < 100; i++) r[i] = r[i] + i;
  x += r[3];
  printf("%f\n", x);
  return 0;
}

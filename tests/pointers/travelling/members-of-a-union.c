#include <stdio.h>
/* nested: union within struct within union; whole copies of one variant */
struct A { int t; double *p; };
struct Bb { int t; double *q; };
union U { struct A a; struct Bb b; };
static double x[64], y[64];
static void seta(struct A *a, double *d) { a->t = 1; a->p = d; }
static double *getb(const struct Bb *b) { return b->q; }
int main(int argc, char **argv) {
  static union U u;
  u.b.q = y;
  seta(&u.a, x);
  double *q = getb(&u.b);
  for (int i = 1; i < 64; i++) // LOOP for (int i = 63; i >= 1; i--)
    q[i] = x[i-1] + 1;
  printf("%g\n", x[63]);
}

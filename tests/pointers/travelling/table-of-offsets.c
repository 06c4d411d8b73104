#include <stdio.h>
#include <stddef.h>
struct field { const char *name; size_t off; };
struct cfg { double *in; double *out; };
static const struct field fields[] = { { "in", offsetof(struct cfg, in) }, { "out", offsetof(struct cfg, out) } };
static double a[64], b[64];
static void setfield(struct cfg *c, int k, double *v) {
  void *where = (char *)c + fields[k].off;
  *(double **)where = v;
}
static void run(struct cfg *c) {
  for (int i = 1; i < 64; i++) // LOOP for (int i = 63; i >= 1; i--)
    c->out[i] = c->in[i-1] + 1;
}
int main(void) {
  struct cfg c = { a, b };
  run(&c);
  setfield(&c, 1, a);
  run(&c);
  printf("%g %g\n", a[63], b[63]);
}

#include <stdio.h>
static double a[64], b[64];
int main(void) {
  double *p = a, *q = b;
  FILE *f = tmpfile();
  fwrite(&p, sizeof p, 1, f);
  rewind(f);
  if (fread(&q, sizeof q, 1, f) != 1) return 1;
  for (int i = 1; i < 64; i++) // LOOP for (int i = 63; i >= 1; i--)
    q[i] = a[i-1] + 1;
  printf("%g %g\n", a[63], b[63]);
}

#include <stdio.h>
#include <unistd.h>
static double a[64], b[64];
int main(void) {
  double *p = a, *q = b;
  int fd[2];
  if (pipe(fd)) return 1;
  if (write(fd[1], &p, sizeof p) != sizeof p) return 1;
  if (read(fd[0], &q, sizeof q) != sizeof q) return 1;
  for (int i = 1; i < 64; i++) // LOOP for (int i = 63; i >= 1; i--)
    q[i] = a[i-1] + 1;
  printf("%g %g\n", a[63], b[63]);
}

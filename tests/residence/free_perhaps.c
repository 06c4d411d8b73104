#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
  double *p = malloc(100 * sizeof(double));
  for (int i = 0; i < 100; i++) p[i] = i * 2.0;
  switch (argc) { case 7: free(p); p = NULL; }
  if (p) printf("%f\n", p[3]);
  for (int i = 0; i < 100; i++) p[i] = p[i] * 2.0;
  argc > 5 ? free(p) : (void)0;
  printf("%f\n", p[3]);
  free(p);
  return 0;
}

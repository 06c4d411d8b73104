#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 64
static char *tab[N]; static int out[N]; static int x[N];
static char *kept[N];

static char *buf[N][4];
int main(void) {
  for (int i = 0; i < N; i++) x[i] = i % 10;
  for (int i = 0; i < N; i++) {  // LOOP
    int k = 0;
    if (x[i] == 7) {
      buf[i][k++] = malloc(8);
      if (!buf[i][k++]) { printf("bad %d\n", i); exit(1); }
    }
    out[i] = k;
  }
  printf("%d\n", out[3]);
}

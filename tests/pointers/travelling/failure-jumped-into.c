#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 64
static char *tab[N]; static int out[N]; static int x[N];
static char *kept[N];

int main(void) {
  for (int i = 0; i < N; i++) x[i] = i % 10;
  for (int i = 0; i < N; i++) {  // LOOP
    char *p;
    out[i] = i;
    switch (x[i]) {
    default: {
      p = malloc(8);
      if (p == NULL) {
    case 7:;
        printf("bad %d\n", i);
        exit(1);
      }
      p[0] = i;
      }
    }
  }
  printf("%d\n", out[3]);
}

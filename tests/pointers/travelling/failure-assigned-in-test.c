#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 64
static char *tab[N]; static int out[N]; static int x[N];
static char *kept[N];

int main(void) {
  for (int i = 0; i < N; i++) tab[i] = i % 10 == 7 ? NULL : "abc";
  for (int i = 0; i < N; i++) {
    char *p = malloc(8);
    kept[i] = p;
    out[i] = i;
  }
  for (int i = 0; i < N; i++) {  // LOOP
    char *p;
    p = malloc(8);
    if ((p = tab[i]) == NULL) { printf("no entry %d\n", i); exit(1); }
    out[i] = p[0];
  }
  printf("%d\n", out[3]);
}

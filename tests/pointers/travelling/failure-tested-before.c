#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 64
static char *tab[N]; static int out[N]; static int x[N];
static char *kept[N];

int main(void) {
  for (int i = 0; i < N; i++) tab[i] = i % 10 == 7 ? NULL : "abc";
  for (int i = 0; i < N; i++) {  // LOOP
    char *p = tab[i];
    if (p == NULL || (p = malloc(8)) == NULL) { printf("no entry %d\n", i); exit(1); }
    kept[i] = p;
    out[i] = i;
  }
  printf("%d\n", out[3]);
}

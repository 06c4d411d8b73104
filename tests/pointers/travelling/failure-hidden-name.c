#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 64
static char *tab[N]; static int out[N]; static int x[N];
static char *kept[N];

int main(void) {
  for (int i = 0; i < N; i++) tab[i] = i % 10 == 7 ? NULL : "abc";
  for (int i = 0; i < N; i++) {  // LOOP
    char *p = NULL;
    {
      p = malloc(8);
      char *p = tab[i];
      if (p == NULL) { printf("no entry %d\n", i); exit(1); }
      out[i] = p[0];
    }
    free(p);
  }
  printf("%d\n", out[3]);
}

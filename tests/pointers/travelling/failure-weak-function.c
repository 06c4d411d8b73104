#include <stdio.h>
#include <stdlib.h>
#define N 64
static char *tab[N]; static int out[N];

__attribute__((weak)) void give_up(void) { perror("no memory"); exit(1); }

int main(void) {
  for (int i = 0; i < N; i++) {  // LOOP
    tab[i] = malloc(8);
    if (tab[i] == NULL) give_up();
    out[i] = i;
  }
  printf("%d\n", out[3]);
}

#include <stdio.h>
#include <stdlib.h>
#define N 64
static char *tab[N]; static int out[N], failed;

static void give_up(void) { perror("no memory"); exit(1); }
static void count(void) { out[failed++] = 1; }

static void fill(void (*other)(void)) {
  void (*give_up)(void) = other;
  for (int i = 0; i < N; i++) {  // LOOP
    tab[i] = malloc(8);
    if (tab[i] == NULL) give_up();
    out[i] = i;
  }
}

int main(int argc, char **argv) {
  fill(argc > 1 ? give_up : count);
  printf("%d %s\n", out[3], argv[0]);
}

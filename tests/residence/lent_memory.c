#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#define GLUE(a, b) a##b
static char st[128], env[64] = "XYZ=hello";
static void up(char *p, int n) { for (int i = 0; i < n; i++) p[i] = p[i] - 32; }
int main(void) { GLUE(put, env)(env); up(env + 4, 5); printf("%s\n", getenv("XYZ")); GLUE(init, state)(3, st, 128); long a = random(); printf("%d\n", a > 0); return 0; }

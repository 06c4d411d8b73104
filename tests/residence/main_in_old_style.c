#include <stdio.h>
static double A[100];
int main();
static void k(void) { for (int i = 0; i < 100; i++) A[i] = A[i] * 2 + i; }
struct main { int main; };
int main(argc, argv) int argc; char **argv; { k(); int inner(int j) { return (int)A[j]; } (void)argv; printf("%d %d\n", inner(3), argc); return 0; }

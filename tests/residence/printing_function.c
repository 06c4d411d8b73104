#include <stdio.h>
#include <printf.h>
static double A[100];
static void k(void) { for (int i = 0; i < 100; i++) A[i] = A[i] * 2 + i; }
static int hand(FILE *f, const struct printf_info *info, const void *const *args) { (void)info; (void)args; return fprintf(f, "<%g>", A[3]); }
static int arginf(const struct printf_info *info, size_t n, int *types, int *size) { (void)info; (void)size; if (n > 0) types[0] = 0; return 1; }
int main(void) { register_printf_specifier('Y', hand, arginf); k(); printf("%Y\n", 1); k(); A[2]=1; printf("%Y\n", 1); return 0; }

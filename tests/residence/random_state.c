#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static double A[100], B[100];
static void k(void) { for (int i = 0; i < 100; i++) A[i] = A[i] * 2 + i; }

static char st[128], sv[128];
static void cp(char *a, char *b) { for (int i = 0; i < 128; i++) a[i] = b[i]; }
int main(void) { initstate(7, st, 128); random(); setstate(st); cp(sv, st); long a = random(); long b = random(); cp(st, sv); setstate(st); a = random() - a; printf("%ld %d\n", a, b > 0);
 cp(sv, st); a = random(); cp(st, sv); a = random() - a; printf("%ld\n", a); return 0; }

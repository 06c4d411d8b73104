#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static double A[100], B[100];
static void k(void) { for (int i = 0; i < 100; i++) A[i] = A[i] * 2 + i; }

int main(void) { k(); int v[2] = {1, 2}, y = A[3]; printf("%d %d\n", v[0], y); return 0; }

#ifndef TYPE
#include <stdio.h>
#define N 100
#define TYPE double
#define NAME(x) x##_d
static double A[N]; static float F[N];
#include "app.c"
#undef TYPE
#undef NAME
#define TYPE float
#define NAME(x) x##_f
#include "app.c"
static void own(void) { for (int i = 0; i < N; i++) A[i] += F[i]; A[2] = 1; }
int main(void) { NAME(up)(F); up_d(A); own(); for (int i = 0; i < N; i++) A[i] += 1; printf("%g %g\n", A[3], NAME(sum)(F)); printf("%g\n", sum_d(A)); return 0; }
#else
static void NAME(up)(TYPE *p) { for (int i = 0; i < N; i++) p[i] = p[i] / 3 + i; p[3] += 1; for (int i = 0; i < N; i++) p[i] *= 2; }
static double NAME(sum)(TYPE *p) { TYPE s = 0; for (int i = 0; i < N; i++) s += p[i]; return s + p[2]; }
#endif

#include "w_kernels.h"
void f(int n, int m, int *restrict p, int *restrict q)
{ for (int i = 0; i < n; i++) { p[i] = i; if (m > 3) p[i+60] = q[i]; } }
void g(int n, int m, int *restrict p, int *restrict q)
{ for (int i = 0; i < n; i++) { p[i] = i; if (m > 3) p[i] += 2; else p[i] -= q[i]; } }
void h(int n, int m, int *restrict p, int *restrict q)
{ w_k2(q, p, n, m); }
void k(int n, int m, int *restrict p, int *restrict q)
{ w_k3(q, p, n, m); }

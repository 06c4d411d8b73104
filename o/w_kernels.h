/* Launches the kernels of w.c; each function does what the loop in its place did. */
#ifndef W_KERNELS_H
#define W_KERNELS_H

#ifdef __cplusplus
extern "C" {
#endif

/* q[0:n-1]|element ^ p[0:n-1]|element -> p[0:n-1]|element */
void w_k2(const int *q, int *p, int n, int m);
/* q[0:n-1]|element ^ p[0:n-1]|element -> p[0:n-1]|element */
void w_k3(const int *q, int *p, int n, int m);

#ifdef __cplusplus
}
#endif

#endif

/* Launches the kernels of heat.c; each function does what the loop in its place did. */
#ifndef HEAT_KERNELS_H
#define HEAT_KERNELS_H

/* What the linker sees of these names: another heat.c of the same program has others. */
#define heat_k1 heat_k1_c9efeaf8
#define heat_k3 heat_k3_c9efeaf8
#define heat_k5 heat_k5_c9efeaf8

#ifdef __cplusplus
extern "C" {
#endif

/* now[0:n-1,0:n-1]|neighbourhood(-1:1,-1:1) -> next[1:n-2,1:n-2]|element */
void heat_k1(double *next, const double *now, int n, double rate);
/* next[0:n-1,0:n-1]|element ^ now[0:n-1,0:n-1]|element -> change[0:0]|shared */
void heat_k3(const double *next, const double *now, int n, double *change);
void heat_k5(const double *next, double *now, int n, double *last);

#ifdef __cplusplus
}
#endif

#endif

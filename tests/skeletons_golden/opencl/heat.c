#include "heat_kernels.h"
/* One step of heat flow, and how far it is from the last one. */
#include <math.h>

#define N 512

static double now[N][N], next[N][N];

_Static_assert(N == 512, "this is compiled for one N: for another, run cuvier compile again with -DN=...");

double step(int n, double rate)
{
    double change = 0, last = 0;
    int i, j;
    { heat_k1(&next[0][0], &now[0][0], n, rate); (void)j; }
    heat_k3(&next[0][0], &now[0][0], n, &change);
    {
        heat_k5(&next[0][0], &now[0][0], n, &last);
        for (i = n - 1; i >= 0; i -= 2) { } /* the values that the iterators keep */
    }
    return change / (i + 2) + last;
}

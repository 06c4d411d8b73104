/* One step of heat flow, and how far it is from the last one. */
#include <math.h>

#define N 512

static double now[N][N], next[N][N];

/* now[0:n-1,0:n-1]|neighbourhood(-1:1,-1:1) -> next[1:n-2,1:n-2]|element */
static void heat_k1(int n, double rate, double (*next)[N], double (*now)[N])
{
    int i;
    int j;
    for (i = 1; i < n - 1; i++) {
        for (j = 1; j < n - 1; j++) {
            /* the four neighbours */
            next[i][j] = now[i][j] + rate * (now[i-1][j] + now[i+1][j] + now[i][j-1] + now[i][j+1] - 4 * now[i][j]);
        }
    }
}

/* next[0:n-1,0:n-1]|element ^ now[0:n-1,0:n-1]|element -> change[0:0]|shared */
static void heat_k3(int n, double (*next)[N], double (*now)[N], double *change_out)
{
    int i;
    int j;
    double change = *change_out;
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            change += fabs(next[i][j] - now[i][j]);
    *change_out = change;
}

static void heat_k5(int n, double (*next)[N], double (*now)[N], int *i_out, double *last_out)
{
    int i = *i_out;
    double last = *last_out;
    for (i = n - 1; i >= 0; i -= 2) {
        last = next[i][i];
        now[i][0] = last; // the border
    }
    *i_out = i;
    *last_out = last;
}

double step(int n, double rate)
{
    double change = 0, last = 0;
    int i, j;
    { heat_k1(n, rate, next, now); (void)j; }
    heat_k3(n, next, now, &change);
    heat_k5(n, next, now, &i, &last);
    return change / (i + 2) + last;
}

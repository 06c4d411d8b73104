/* How many letters to change, to put in, and to take out. */
#include <stdio.h>
#include <stdlib.h>

#define N 8000
#define MIN(a, b) ((a) < (b) ? (a) : (b))
static int d[N + 1][N + 1];
static char s[N + 1], t[N + 1];

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : N, total = 0;
    for (int i = 0; i <= n; i++) {
        s[i] = (char)('a' + (i * 7919) % 26);
        t[i] = (char)('a' + (i * 104729L) % 23);
        d[i][0] = d[0][i] = i;
    }
    for (int k = 0; k < 4; k++) {
        s[k + 5]++;
        for (int i = 1; i <= n; i++)
            for (int j = 1; j <= n; j++) {
                int change = d[i - 1][j - 1] + (s[i] != t[j]);
                d[i][j] = MIN(MIN(d[i - 1][j] + 1, d[i][j - 1] + 1), change);
            }
        total += d[n][n];
    }
    printf("%d\n", total);
    return 0;
}

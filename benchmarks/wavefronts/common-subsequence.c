/* The longest common subsequence of two texts. */
#include <stdio.h>
#include <stdlib.h>

#define N 8000
static int length[N + 1][N + 1];
static char s[N + 1], t[N + 1];

static int common(int n)
{
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= n; j++)
            if (s[i] == t[j])
                length[i][j] = length[i - 1][j - 1] + 1;
            else
                length[i][j] = length[i - 1][j] > length[i][j - 1] ? length[i - 1][j] : length[i][j - 1];
    return length[n][n];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : N, total = 0;
    for (int i = 0; i <= n; i++) {
        s[i] = (char)('a' + (i * 7919) % 26);
        t[i] = (char)('a' + (i * 104729L) % 23);
    }
    for (int k = 0; k < 4; k++) {
        s[k + 5]++;
        total += common(n);
    }
    printf("%d\n", total);
    return 0;
}

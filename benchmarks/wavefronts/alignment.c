/* Global alignment of two proteins, with a table of scores (Needleman and Wunsch 1970). */
#include <stdio.h>
#include <stdlib.h>

#define N 6000
#define LETTERS 20
#define GAP 8
static int score[N + 1][N + 1], table[LETTERS][LETTERS];
static unsigned char s[N + 1], t[N + 1];

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : N;
    for (int a = 0; a < LETTERS; a++)
        for (int b = 0; b < LETTERS; b++)
            table[a][b] = a == b ? 6 : (a * b) % 7 - 4;
    for (int i = 0; i <= n; i++) {
        s[i] = (unsigned char)((i * 31 + i / 7) % LETTERS);
        t[i] = (unsigned char)((i * 17 + i / 5) % LETTERS);
        score[i][0] = score[0][i] = -GAP * i;
    }
    for (int k = 0; k < 4; k++) {
        t[k + 1] = (unsigned char)k;
        for (int i = 1; i <= n; i++)
            for (int j = 1; j <= n; j++) {
                int best = score[i - 1][j - 1] + table[s[i]][t[j]];
                if (score[i - 1][j] - GAP > best)
                    best = score[i - 1][j] - GAP;
                if (score[i][j - 1] - GAP > best)
                    best = score[i][j - 1] - GAP;
                score[i][j] = best;
            }
    }
    printf("%d\n", score[n][n]);
    return 0;
}

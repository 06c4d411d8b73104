/* A matrix and its transpose, there and back. */
#include <stdio.h>
#ifndef ROWS
#define ROWS 47
#endif
#ifndef COLUMNS
#define COLUMNS 33
#endif

static int a[ROWS][COLUMNS], b[COLUMNS][ROWS];

int main(void)
{
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            a[i][j] = i * 100 + j;
    for (int i = 0; i < COLUMNS; i++)
        for (int j = 0; j < ROWS; j++)
            b[i][j] = 2 * a[j][i];
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            a[i][j] += b[j][i];
    for (int i = 0; i < ROWS; i += 3)
        printf("%d %d\n", a[i][0], a[i][COLUMNS - 1]);
    return 0;
}

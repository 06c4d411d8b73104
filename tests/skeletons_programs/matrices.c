/* Matrices: triangles, stencils, rows of variable length, three dimensions, a pointer to rows. */
#include <stdio.h>
#include <stdlib.h>

#define ROWS 37
#define COLS 53

static double grid[ROWS][COLS], next[ROWS][COLS], line[500], smooth[500];
static float cube[6][7][8];

static void variable(int n, int m, double A[n][m], double B[n][m])
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 2; j < m - 2; j++)
            B[i][j] = A[i - 1][j] + A[i + 1][j] - A[i][j - 2] * A[i][j + 2];
}

int main(void)
{
    int i, j, k;
    for (i = 0; i < ROWS; i++)
        for (j = 0; j < COLS; j++) {
            grid[i][j] = (i * 31 + j * 17) % 101 * 0.125;
            next[i][j] = -1;
        }
    for (i = 0; i < 500; i++)
        line[i] = i % 13 * 0.5;
    for (i = 3; i < 497; i++)
        smooth[i] = line[i - 3] + line[i] * 2 + line[i + 3];
    /* a triangle, its last rows empty */
    for (i = 0; i < ROWS; i++)
        for (j = i; j < ROWS - 1 - i; j++)
            next[i][j] = grid[j][i];
    for (i = 1; i < ROWS - 1; i++) {
        for (j = 1; j < COLS - 1; j++) {
            double around = grid[i - 1][j] + grid[i + 1][j];
            around += grid[i][j - 1] + grid[i][j + 1];
            if (around > 20)
                continue;
            next[i][j] = around / 4 + grid[i][j];
        }
    }
    for (i = 0; i < 6; i++)
        for (j = 0; j < 7; j++)
            for (k = 0; k < 8; k++)
                cube[i][j][k] = i * 100 + j * 10 + k;
    double (*rows)[COLS] = malloc(ROWS * sizeof *rows);
    double (*out)[COLS] = malloc(ROWS * sizeof *out);
    if (!rows || !out)
        return 1;
    for (i = 0; i < ROWS; i++)
        for (j = 0; j < COLS; j++) {
            rows[i][j] = next[i][j] * 0.5;
            out[i][j] = 7;
        }
    variable(ROWS, COLS, rows, out);
    for (i = 0; i < ROWS; i++)
        for (j = 0; j < COLS; j++)
            printf("%.17g %.17g %.17g\n", grid[i][j], next[i][j], out[i][j]);
    for (i = 0; i < 500; i++)
        printf("%.17g\n", smooth[i]);
    for (i = 0; i < 6; i++)
        for (j = 0; j < 7; j++)
            for (k = 0; k < 8; k++)
                printf("%g\n", cube[i][j][k]);
    free(rows);
    free(out);
    return 0;
}

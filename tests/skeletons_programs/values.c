/* Values that outlive their loop, and loops that do nothing. */
#include <stdio.h>

static double a[200], b[200];
static int marks[40][50];

static void run(int n, int low)
{
    int i, j = -1;
    double last = -3, twice = -4;
    for (i = 0; i < 200; i++) {
        a[i] = i * 0.75;
        b[i] = 0;
    }
    for (i = low; i < n; i++) {
        last = a[i] * 2;
        b[i] = last + 1;
    }
    printf("%d %g\n", i, last);
    for (i = 0; i < n / 5; i++)
        for (j = 0; j < 50 - i; j++) {
            twice = i * 2.0 + j;
            marks[i][j] = (int)twice;
        }
    printf("%d %d %g\n", i, n > 5 ? j : 0, twice);
    double sum = 0;
    for (i = 0; i < 200; i++)
        sum += b[i];
    printf("%g %d\n", sum, marks[3][4]);
}

int main(void)
{
    run(200, 0);
    run(0, 7);
    run(9, 3);
    return 0;
}

#include <stdio.h>

struct place { _Bool m; float scale; double **table; };
void elsewhere(_Bool m, double **table);

long m = 300;
double table[4][8];
_Bool wide = 1;

static double take(double p[20][m], double q[20][m])
{
    for (int i = 0; i < 20; i++)
        for (long j = 0; j < 300; j++) {
            _Bool m = q[i][j] > 7;
            p[i][j] = q[i][j] * 3 + m;
        }
    return p[19][299];
}

static double behind_labels(int which)
{
    double sum = 0;
    switch (which) {
    case 1:
        ;
        int wide = which + 256;
        {
            double r[20][wide];
            for (int i = 0; i < 20; i++)
                for (int j = 0; j < 257; j++)
                    r[i][j] = i * j + 1;
            for (int i = 0; i < 20; i++)
                for (int j = 0; j < 257; j++)
                    sum += r[i][j];
        }
        break;
    default:
        wide = 0;
        sum = wide;
    }
    return sum;
}

int main(int argc, char **argv)
{
    (void)argv;
    printf("%g\n", behind_labels(argc));
    {
        _Bool m = 1;
        int small[20][m];
        for (int i = 0; i < 20; i++)
            small[i][0] = i;
        printf("%d\n", small[19][0]);
    }
    double p[20][m], q[20][m];
    for (int i = 0; i < 20; i++)
        for (long j = 0; j < 300; j++)
            q[i][j] = i * j;
    printf("%g\n", take(p, q));
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 8; j++)
            table[i][j] = i + j * 0.5;
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < 300; j++)
            printf("%g %g\n", p[i][j], table[i % 4][j % 8]);
    return 0;
}

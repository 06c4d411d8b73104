/* Running sums of columns, a column to each thread. */
#ifndef N
#define N 2048
#endif
static float in[N][N], out[N][N];
int main(void)
{
    for (int x = 0; x < N; x++)
        for (int y = 1; y < N; y++)
            out[y][x] = 0.5f * out[y - 1][x] + in[y][x];
    return (int)out[N - 1][N - 1];
}

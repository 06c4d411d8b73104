/* An integral image along columns, with the loops the wrong way round. */
#ifndef N
#define N 256
#endif
static int in[N][N], out[N][N];
int main(void)
{
    for (int x = 0; x < N; x++)
        for (int y = 0; y < N; y++) {
            int sum = 0;
            for (int k = 0; k <= y; k++)
                sum += in[k][x];
            out[y][x] = sum;
        }
    return out[N - 1][N - 1];
}

/* An 11 by 11 convolution. */
#ifndef N
#define N 256
#endif
static float in[N + 10][N + 10], weight[11][11], out[N][N];
int main(void)
{
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++) {
            float sum = 0;
            for (int i = 0; i < 11; i++)
                for (int j = 0; j < 11; j++)
                    sum += weight[i][j] * in[y + i][x + j];
            out[y][x] = sum;
        }
    return (int)out[N - 1][N - 1];
}

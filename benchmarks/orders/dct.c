/* 8 by 8 cosine transforms, every thread a coefficient. */
#ifndef N
#define N 256
#endif
static float in[N][N], cosine[8][8], out[N][N];
int main(void)
{
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++) {
            float sum = 0;
            for (int i = 0; i < 8; i++)
                for (int j = 0; j < 8; j++)
                    sum += in[y / 8 * 8 + i][x / 8 * 8 + j] * cosine[y % 8][i] * cosine[x % 8][j];
            out[y][x] = sum;
        }
    return (int)out[N - 1][N - 1];
}

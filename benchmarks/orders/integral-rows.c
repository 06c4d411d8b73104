/* An integral image along rows, naively: every thread adds up its row up to its pixel. */
#ifndef N
#define N 256
#endif
static int in[N][N], out[N][N];
int main(void)
{
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++) {
            int sum = 0;
            for (int k = 0; k <= x; k++)
                sum += in[y][k];
            out[y][x] = sum;
        }
    return out[N - 1][N - 1];
}

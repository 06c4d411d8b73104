/* Points and the centres that are nearest to them: labels, sums and numbers of members. */
#include <stdio.h>
#ifndef POINTS
#define POINTS 300
#endif
#define CENTRES 5
#define D 3

static double point[POINTS][D], centre[CENTRES][D], sum[CENTRES][D];
static int label[POINTS], members[CENTRES];

int main(void)
{
    for (int i = 0; i < POINTS; i++)
        for (int d = 0; d < D; d++)
            point[i][d] = (i * (d + 3)) % 41;
    for (int c = 0; c < CENTRES; c++)
        for (int d = 0; d < D; d++)
            centre[c][d] = point[c * 31][d];
    for (int t = 0; t < 5; t++) {
        for (int i = 0; i < POINTS; i++) {
            double least = 1e30;
            int nearest = 0;
            for (int c = 0; c < CENTRES; c++) {
                double away = 0;
                for (int d = 0; d < D; d++)
                    away += (point[i][d] - centre[c][d]) * (point[i][d] - centre[c][d]);
                if (away < least) {
                    least = away;
                    nearest = c;
                }
            }
            label[i] = nearest;
        }
        for (int c = 0; c < CENTRES; c++) {
            members[c] = 0;
            for (int d = 0; d < D; d++)
                sum[c][d] = 0;
        }
        for (int i = 0; i < POINTS; i++) {
            members[label[i]]++;
            for (int d = 0; d < D; d++)
                sum[label[i]][d] += point[i][d];
        }
        for (int c = 0; c < CENTRES; c++)
            for (int d = 0; d < D; d++)
                centre[c][d] = members[c] ? sum[c][d] / members[c] : centre[c][d];
    }
    for (int c = 0; c < CENTRES; c++)
        printf("%d %.12g %.12g %.12g\n", members[c], centre[c][0], centre[c][1], centre[c][2]);
    return 0;
}

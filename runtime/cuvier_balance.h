/* One launch on several units: how many iterations each of them makes.
 *
 * After Dollinger (PhD thesis, Strasbourg 2015), section 5.3.3 and algorithm 5.3: shares are corrected by the times that are predicted
 * for them until these are about the same; a unit that would get next to nothing gets nothing. */
#ifndef CUVIER_BALANCE_H
#define CUVIER_BALANCE_H

enum { CUVIER_UNITS_MOST = 16, CUVIER_STEPS = 15 };
#define CUVIER_BALANCED 1.02 /* the longest of the times, by the shortest: then the shares are good */
#define CUVIER_NEGLIGIBLE 0.1 /* of the largest share: a unit with less is left out */

/* Seconds that a unit takes for so many iterations, more than none. */
typedef double (*cuvier_time_of)(const void *context, int unit, double trips);

/* Shares that come to `trips`, all of them whole; what is left over goes to the first unit that has some. */
CUVIER_FUNCTION void cuvier_rounded(int count, const double *wanted, long trips, long *shares)
{
    long left = trips;
    int first = 0;
    for (int k = 0; k < count; k++) {
        shares[k] = (long)wanted[k];
        left -= shares[k];
    }
    while (first < count - 1 && wanted[first] <= 0)
        first++;
    shares[first] += left;
}

/* The shares of `count` units, at most CUVIER_UNITS_MOST, of `trips` iterations; what is returned is in how many steps they were found.
 * `shares` has what they are now, or nothing but zeros. */
CUVIER_FUNCTION int cuvier_balance(int count, cuvier_time_of seconds, const void *context, long trips, long *shares)
{
    double now[CUVIER_UNITS_MOST], best[CUVIER_UNITS_MOST], least = -1;
    long known = 0;
    int steps = 0, is_balanced = 0;
    for (int k = 0; k < count; k++)
        known += shares[k];
    for (int k = 0; k < count; k++)
        now[k] = best[k] = known == trips ? (double)shares[k] : (double)trips / count;
    while (steps < CUVIER_STEPS && !is_balanced) {
        double times[CUVIER_UNITS_MOST] = {0}, longest = 0, shortest = 0, sum = 0, most = 0;
        int units = 0;
        steps++;
        for (int k = 0; k < count; k++) {
            if (now[k] <= 0)
                continue;
            times[k] = seconds(context, k, now[k]);
            times[k] = times[k] > 0 ? times[k] : 1e-12;
            longest = times[k] > longest ? times[k] : longest;
            shortest = units == 0 || times[k] < shortest ? times[k] : shortest;
            units++;
        }
        if (least < 0 || longest < least) {
            least = longest;
            memcpy(best, now, sizeof best);
        }
        is_balanced = longest <= CUVIER_BALANCED * shortest;
        for (int k = 0; k < count; k++) {
            now[k] = now[k] > 0 ? now[k] / times[k] : 0;
            most = now[k] > most ? now[k] : most;
        }
        for (int k = 0; k < count; k++) {
            now[k] = now[k] < CUVIER_NEGLIGIBLE * most ? 0 : now[k];
            sum += now[k];
        }
        for (int k = 0; k < count; k++)
            now[k] *= (double)trips / sum;
    }
    cuvier_rounded(count, best, trips, shares);
    return steps;
}

#endif

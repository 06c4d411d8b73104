// Monte Carlo: an option on the mean of a price along its path.  Each path has a generator of its own.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct
{
    double spot, strike, rate, sigma, years;
    int    steps;
} option_t;

static uint64_t splitmix(uint64_t *state)
{
    uint64_t z = (*state += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

static double uniform(uint64_t *state)
{
    return ((double)(splitmix(state) >> 11) + 0.5) / 9007199254740992.0;
}

static double gaussian(uint64_t *state)
{
    double u = uniform(state), v = uniform(state);
    return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}

static double payoff(const option_t *o, uint64_t seed)
{
    double dt = o->years / o->steps;
    double drift = (o->rate - 0.5 * o->sigma * o->sigma) * dt;
    double vol = o->sigma * sqrt(dt);
    double price = o->spot, sum = 0.0;

    for (int s = 0; s < o->steps; s++)
    {
        price *= exp(drift + vol * gaussian(&seed));
        sum += price;
    }
    double mean = sum / o->steps;
    return mean > o->strike ? mean - o->strike : 0.0;
}

static double value(const option_t *o, long paths, double *error)
{
    double sum = 0.0, squares = 0.0;

    for (long p = 0; p < paths; p++)
    {
        double x = payoff(o, (uint64_t)p * 7919u + 1u);
        sum += x;
        squares += x * x;
    }
    double mean = sum / paths;
    *error = sqrt((squares / paths - mean * mean) / paths);
    return mean * exp(-o->rate * o->years);
}

int main(int argc, char **argv)
{
    long paths = argc > 1 ? atol(argv[1]) : 9000;
    int strikes = argc > 2 ? atoi(argv[2]) : 8;
    option_t option = { 100.0, 80.0, 0.03, 0.25, 1.0, 52 };
    double total = 0.0, error, errors = 0.0;
    struct timespec begin, end;

    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (int k = 0; k < strikes; k++)
    {
        option.strike = 80.0 + 5.0 * k;
        total += value(&option, paths, &error);
        errors += error;
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("%.7f +- %.5f\n", total, errors);
    fprintf(stderr, "%.6f\n", (end.tv_sec - begin.tv_sec) + 1e-9 * (end.tv_nsec - begin.tv_nsec));
    return 0;
}

/* Launches the kernels of heat.c: data in, kernel, data out. */
#include "heat_kernels.h"

#include "cuvier_runtime.h"

#define N 512

static const char device_source[] =
#include "heat_kernels.cl.inc"
    ;

/* heat.c:12, step(). */
void heat_k1(double *next, const double *now, int n, double rate)
{
    const long i_trips = n - 2;
    const long j_trips = n - 2;
    if (i_trips <= 0 || j_trips <= 0)
        return;
    const long next_first = (long)1 * N + 1;
    const long next_count = ((long)(n - 2) * N + (n - 2)) - next_first + 1;
    const long now_first = 0;
    const long now_count = ((long)(n - 1) * N + (n - 1)) - now_first + 1;
    const long now_low0 = 0;
    const long now_high0 = n - 1;
    const long now_low1 = 0;
    const long now_high1 = n - 1;
    const size_t local[3] = {16, 4, 1};
    const size_t groups[3] = {
        cuvier_groups(j_trips, local[0], 1048576),
        cuvier_groups(i_trips, local[1], 65535),
        1,
    };
    cuvier_launch launch = cuvier_begin(device_source, "heat_k1", "heat_k1_device");

    cuvier_map(launch.name, "next", next, next_first, next_count, sizeof *next, CUVIER_READ);
    cuvier_map(launch.name, "now", now, now_first, now_count, sizeof *now, CUVIER_READ);
    long next_skip;
    cl_mem next_cells = cuvier_cells(&launch, next, next_first, next_count, sizeof *next, &next_skip);
    long now_skip;
    cl_mem now_cells = cuvier_cells(&launch, now, now_first, now_count, sizeof *now, &now_skip);

    cuvier_argument(&launch, "next_cells", sizeof next_cells, &next_cells);
    cuvier_argument(&launch, "next_skip", sizeof next_skip, &next_skip);
    cuvier_argument(&launch, "next_first", sizeof next_first, &next_first);
    cuvier_argument(&launch, "now_cells", sizeof now_cells, &now_cells);
    cuvier_argument(&launch, "now_skip", sizeof now_skip, &now_skip);
    cuvier_argument(&launch, "now_low0", sizeof now_low0, &now_low0);
    cuvier_argument(&launch, "now_high0", sizeof now_high0, &now_high0);
    cuvier_argument(&launch, "now_low1", sizeof now_low1, &now_low1);
    cuvier_argument(&launch, "now_high1", sizeof now_high1, &now_high1);
    cuvier_argument(&launch, "n", sizeof n, &n);
    cuvier_argument(&launch, "rate", sizeof rate, &rate);
    cuvier_argument(&launch, "i_trips", sizeof i_trips, &i_trips);
    cuvier_argument(&launch, "j_trips", sizeof j_trips, &j_trips);
    cuvier_run(&launch, groups, local);

    cuvier_wrote(next, next_first, next_count, sizeof *next);
    cuvier_end(&launch);
    cuvier_release("heat_k1");
}

/* heat.c:18, step(). */
void heat_k3(const double *next, const double *now, int n, double *change)
{
    const long i_trips = n;
    const long j_trips = n;
    if (i_trips <= 0 || j_trips <= 0)
        return;
    const long next_first = 0;
    const long next_count = ((long)(n - 1) * N + (n - 1)) - next_first + 1;
    const long now_first = 0;
    const long now_count = ((long)(n - 1) * N + (n - 1)) - now_first + 1;
    const size_t local[3] = {16, 4, 1};
    const size_t groups[3] = {
        cuvier_groups(j_trips, local[0], 16),
        cuvier_groups(i_trips, local[1], 16),
        1,
    };
    cuvier_launch launch = cuvier_begin(device_source, "heat_k3", "heat_k3_device");

    cuvier_map(launch.name, "next", next, next_first, next_count, sizeof *next, CUVIER_READ);
    cuvier_map(launch.name, "now", now, now_first, now_count, sizeof *now, CUVIER_READ);
    long next_skip;
    cl_mem next_cells = cuvier_cells(&launch, next, next_first, next_count, sizeof *next, &next_skip);
    long now_skip;
    cl_mem now_cells = cuvier_cells(&launch, now, now_first, now_count, sizeof *now, &now_skip);
    const long change_partials_count = groups[0] * groups[1] * groups[2];
    cl_mem change_partials = cuvier_alloc(&launch, "change", change_partials_count, sizeof *change);

    cuvier_argument(&launch, "next_cells", sizeof next_cells, &next_cells);
    cuvier_argument(&launch, "next_skip", sizeof next_skip, &next_skip);
    cuvier_argument(&launch, "now_cells", sizeof now_cells, &now_cells);
    cuvier_argument(&launch, "now_skip", sizeof now_skip, &now_skip);
    cuvier_argument(&launch, "n", sizeof n, &n);
    cuvier_argument(&launch, "change_partials", sizeof change_partials, &change_partials);
    cuvier_argument(&launch, "i_trips", sizeof i_trips, &i_trips);
    cuvier_argument(&launch, "j_trips", sizeof j_trips, &j_trips);
    cuvier_run(&launch, groups, local);

    double *change_partials_host = cuvier_host_alloc(&launch, "change", change_partials_count, sizeof *change);
    cuvier_hand_out(&launch, "change", change_partials, change_partials_host, change_partials_count, sizeof *change);
    for (long part = 0; part < change_partials_count; part++)
        *change = *change + change_partials_host[part];
    free(change_partials_host);
    cuvier_free(&launch, change_partials);
    cuvier_end(&launch);
    cuvier_release("heat_k3");
}

/* heat.c:21, step(). */
void heat_k5(const double *next, double *now, int n, double *last)
{
    const long i_trips = (n + 1) / 2;
    if (i_trips <= 0)
        return;
    const long next_first = 0;
    const long next_count = ((long)(n - 1) * N + (n - 1)) - next_first + 1;
    const long now_first = 0;
    const long now_count = ((long)(n - 1) * N) - now_first + 1;
    /* the last iteration hands out its values */
    long i_end = -1;
    for (long i_t = i_trips - 1; i_t >= 0 && i_end < 0; i_t--) {
        const int i = (n - 1) - i_t * 2;
        if (!(i >= 0))
            continue;
        i_end = i_t;
    }
    const size_t local[3] = {64, 1, 1};
    const size_t groups[3] = {
        cuvier_groups(i_trips, local[0], 1048576),
        1,
        1,
    };
    cuvier_launch launch = cuvier_begin(device_source, "heat_k5", "heat_k5_device");

    cuvier_map(launch.name, "next", next, next_first, next_count, sizeof *next, CUVIER_READ);
    cuvier_map(launch.name, "now", now, now_first, now_count, sizeof *now, CUVIER_READ);
    long next_skip;
    cl_mem next_cells = cuvier_cells(&launch, next, next_first, next_count, sizeof *next, &next_skip);
    long now_skip;
    cl_mem now_cells = cuvier_cells(&launch, now, now_first, now_count, sizeof *now, &now_skip);
    cl_mem last_last = cuvier_alloc(&launch, "last", 1, sizeof *last);

    cuvier_argument(&launch, "next_cells", sizeof next_cells, &next_cells);
    cuvier_argument(&launch, "next_skip", sizeof next_skip, &next_skip);
    cuvier_argument(&launch, "now_cells", sizeof now_cells, &now_cells);
    cuvier_argument(&launch, "now_skip", sizeof now_skip, &now_skip);
    cuvier_argument(&launch, "n", sizeof n, &n);
    cuvier_argument(&launch, "last_last", sizeof last_last, &last_last);
    cuvier_argument(&launch, "i_trips", sizeof i_trips, &i_trips);
    cuvier_argument(&launch, "i_end", sizeof i_end, &i_end);
    cuvier_run(&launch, groups, local);

    cuvier_wrote(now, now_first, now_count, sizeof *now);
    if (i_end >= 0)
        cuvier_hand_out(&launch, "last", last_last, last, 1, sizeof *last);
    cuvier_free(&launch, last_last);
    cuvier_end(&launch);
    cuvier_release("heat_k5");
}

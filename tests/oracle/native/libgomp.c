/* The ways that gcc's own run-time system offers; the schedule counts where the pragma says schedule(runtime). */
#include <omp.h>
#include "driver.h"

static const struct { int threads; omp_sched_t schedule; } ways[] = {
    {1, omp_sched_static}, {2, omp_sched_static}, {4, omp_sched_static}, {4, omp_sched_dynamic},
    {2, omp_sched_dynamic}, {4, omp_sched_dynamic},
};
const int ways_n = sizeof ways / sizeof *ways;

void choose(int way) {
    omp_set_dynamic(0);
    omp_set_num_threads(ways[way].threads);
    omp_set_schedule(ways[way].schedule, 1);
}

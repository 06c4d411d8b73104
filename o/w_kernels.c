/* Launches the kernels of w.c: data in, kernel, data out. */
#include "w_kernels.h"

#include "cuvier_runtime.h"

static const char device_source[] =
#include "w_kernels.cl.inc"
    ;

/* w.c:6, h(). */
void w_k2(const int *q, int *p, int n, int m)
{
    const long i_trips = n;
    if (i_trips <= 0)
        return;
    const long q_first = 0;
    const long q_count = (n-1) - q_first + 1;
    const long p_first = 0;
    const long p_count = (n-1) - p_first + 1;
    const size_t local[3] = {64, 1, 1};
    const size_t groups[3] = {
        cuvier_groups(i_trips, local[0], 1048576),
        1,
        1,
    };
    cuvier_launch launch = cuvier_begin(device_source, "w_k2", "w_k2_device");

    cl_mem q_cells = cuvier_array(&launch, "q", q, q_first, q_count, sizeof *q);
    cuvier_copy_in(&launch, "q", q_cells, q, q_first, q_count, sizeof *q);
    cl_mem p_cells = cuvier_array(&launch, "p", p, p_first, p_count, sizeof *p);
    cuvier_copy_in(&launch, "p", p_cells, p, p_first, p_count, sizeof *p);

    cuvier_argument(&launch, "q", sizeof q_cells, &q_cells);
    cuvier_argument(&launch, "p", sizeof p_cells, &p_cells);
    cuvier_argument(&launch, "n", sizeof n, &n);
    cuvier_argument(&launch, "m", sizeof m, &m);
    cuvier_argument(&launch, "i_trips", sizeof i_trips, &i_trips);
    cuvier_run(&launch, groups, local);

    cuvier_copy_out(&launch, "p", p_cells, 0, p, p_first, p_count, sizeof *p);
    cuvier_free(&launch, q_cells);
    cuvier_free(&launch, p_cells);
    cuvier_end(&launch);
}

/* w.c:8, k(). */
void w_k3(const int *q, int *p, int n, int m)
{
    const long i_trips = n;
    if (i_trips <= 0)
        return;
    const long q_first = 0;
    const long q_count = (n-1) - q_first + 1;
    const long p_first = 0;
    const long p_count = (n-1) - p_first + 1;
    const size_t local[3] = {64, 1, 1};
    const size_t groups[3] = {
        cuvier_groups(i_trips, local[0], 1048576),
        1,
        1,
    };
    cuvier_launch launch = cuvier_begin(device_source, "w_k3", "w_k3_device");

    cl_mem q_cells = cuvier_array(&launch, "q", q, q_first, q_count, sizeof *q);
    cuvier_copy_in(&launch, "q", q_cells, q, q_first, q_count, sizeof *q);
    cl_mem p_cells = cuvier_array(&launch, "p", p, p_first, p_count, sizeof *p);
    cuvier_copy_in(&launch, "p", p_cells, p, p_first, p_count, sizeof *p);

    cuvier_argument(&launch, "q", sizeof q_cells, &q_cells);
    cuvier_argument(&launch, "p", sizeof p_cells, &p_cells);
    cuvier_argument(&launch, "n", sizeof n, &n);
    cuvier_argument(&launch, "m", sizeof m, &m);
    cuvier_argument(&launch, "i_trips", sizeof i_trips, &i_trips);
    cuvier_run(&launch, groups, local);

    cuvier_copy_out(&launch, "p", p_cells, 0, p, p_first, p_count, sizeof *p);
    cuvier_free(&launch, q_cells);
    cuvier_free(&launch, p_cells);
    cuvier_end(&launch);
}

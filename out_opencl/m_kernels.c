/* Launches the kernels of m.c: data in, kernel, data out. */
#include "m_kernels.h"

#include "cuvier_runtime.h"

static const char device_source[] =
#include "m_kernels.cl.inc"
    ;

/* m.c:7, axpy(). */
void m_k1(const double *v_x_1, double *v_y_1, int v_n_1, double v_scale_1)
{
    const long i_trips = v_n_1;
    if (i_trips <= 0)
        return;
    const long v_x_1_first = 0;
    const long v_x_1_count = (v_n_1-1) - v_x_1_first + 1;
    const long v_y_1_first = 0;
    const long v_y_1_count = (v_n_1-1) - v_y_1_first + 1;
    const size_t local[3] = {64, 1, 1};
    const size_t groups[3] = {
        cuvier_groups(i_trips, local[0], 1048576),
        1,
        1,
    };
    cuvier_launch launch = cuvier_begin(device_source, "m_k1", "m_k1_device");

    cuvier_map(launch.name, "v_x_1", v_x_1, v_x_1_first, v_x_1_count, sizeof *v_x_1, CUVIER_READ);
    cuvier_map(launch.name, "v_y_1", v_y_1, v_y_1_first, v_y_1_count, sizeof *v_y_1, CUVIER_READ);
    long v_x_1_skip;
    cl_mem v_x_1_cells = cuvier_cells(&launch, v_x_1, v_x_1_first, v_x_1_count, sizeof *v_x_1, &v_x_1_skip);
    long v_y_1_skip;
    cl_mem v_y_1_cells = cuvier_cells(&launch, v_y_1, v_y_1_first, v_y_1_count, sizeof *v_y_1, &v_y_1_skip);

    cuvier_argument(&launch, "v_x_1", sizeof v_x_1_cells, &v_x_1_cells);
    cuvier_argument(&launch, "v_x_1_skip", sizeof v_x_1_skip, &v_x_1_skip);
    cuvier_argument(&launch, "v_y_1", sizeof v_y_1_cells, &v_y_1_cells);
    cuvier_argument(&launch, "v_y_1_skip", sizeof v_y_1_skip, &v_y_1_skip);
    cuvier_argument(&launch, "v_n_1", sizeof v_n_1, &v_n_1);
    cuvier_argument(&launch, "v_scale_1", sizeof v_scale_1, &v_scale_1);
    cuvier_argument(&launch, "i_trips", sizeof i_trips, &i_trips);
    cuvier_run(&launch, groups, local);

    cuvier_wrote(v_y_1, v_y_1_first, v_y_1_count, sizeof *v_y_1);
    cuvier_end(&launch);
}

/* m.c:28, main(). */
void m_k9(double *v_x_1, double *v_y_1, int v_n_1)
{
    const long i_trips = v_n_1;
    if (i_trips <= 0)
        return;
    const long v_x_1_first = 0;
    const long v_x_1_count = (v_n_1-1) - v_x_1_first + 1;
    const long v_y_1_first = 0;
    const long v_y_1_count = (v_n_1-1) - v_y_1_first + 1;
    const size_t local[3] = {64, 1, 1};
    const size_t groups[3] = {
        cuvier_groups(i_trips, local[0], 1048576),
        1,
        1,
    };
    cuvier_launch launch = cuvier_begin(device_source, "m_k9", "m_k9_device");

    cuvier_map(launch.name, "v_x_1", v_x_1, v_x_1_first, v_x_1_count, sizeof *v_x_1, 0);
    cuvier_map(launch.name, "v_y_1", v_y_1, v_y_1_first, v_y_1_count, sizeof *v_y_1, 0);
    long v_x_1_skip;
    cl_mem v_x_1_cells = cuvier_cells(&launch, v_x_1, v_x_1_first, v_x_1_count, sizeof *v_x_1, &v_x_1_skip);
    long v_y_1_skip;
    cl_mem v_y_1_cells = cuvier_cells(&launch, v_y_1, v_y_1_first, v_y_1_count, sizeof *v_y_1, &v_y_1_skip);

    cuvier_argument(&launch, "v_x_1", sizeof v_x_1_cells, &v_x_1_cells);
    cuvier_argument(&launch, "v_x_1_skip", sizeof v_x_1_skip, &v_x_1_skip);
    cuvier_argument(&launch, "v_y_1", sizeof v_y_1_cells, &v_y_1_cells);
    cuvier_argument(&launch, "v_y_1_skip", sizeof v_y_1_skip, &v_y_1_skip);
    cuvier_argument(&launch, "v_n_1", sizeof v_n_1, &v_n_1);
    cuvier_argument(&launch, "i_trips", sizeof i_trips, &i_trips);
    cuvier_run(&launch, groups, local);

    cuvier_wrote(v_x_1, v_x_1_first, v_x_1_count, sizeof *v_x_1);
    cuvier_wrote(v_y_1, v_y_1_first, v_y_1_count, sizeof *v_y_1);
    cuvier_end(&launch);
}

void m_host_reads(const void *first, unsigned long bytes)
{
    cuvier_host_reads(first, bytes);
}

void m_host_writes(const void *first, unsigned long bytes)
{
    cuvier_host_writes(first, bytes);
}

void m_host_overwrites(const void *first, unsigned long bytes)
{
    cuvier_host_overwrites(first, bytes);
}

void m_host_reads_all(void)
{
    cuvier_host_reads_all();
}

void m_host_takes_all(void)
{
    cuvier_release("host code");
}

void m_host_drops(const void *first, unsigned long bytes)
{
    cuvier_host_drops(first, bytes);
}

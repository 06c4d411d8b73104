/* Launches the kernels of k6.c: data in, kernel, data out. */
#include "k6_kernels.h"

#include "cuvier_runtime.h"

static const char device_source[] =
#include "k6_kernels.cl.inc"
    ;

/* k6.c:5, f(). */
void k6_k1(const double *v_x_1, double *board_cells_1, int board_w_1)
{
    const long i_trips = board_w_1;
    const long j_trips = 9;
    if (i_trips <= 0 || j_trips <= 0)
        return;
    const long v_x_1_first = 0;
    const long v_x_1_count = (board_w_1-1) - v_x_1_first + 1;
    const long board_cells_1_first = 0;
    const long board_cells_1_count = ((long)(board_w_1-1) * 9 + 8) - board_cells_1_first + 1;
    const size_t local[3] = {16, 4, 1};
    const size_t groups[3] = {
        cuvier_groups(j_trips, local[0], 1048576),
        cuvier_groups(i_trips, local[1], 65535),
        1,
    };
    cuvier_launch launch = cuvier_begin(device_source, "k6_k1", "k6_k1_device");

    cuvier_map(launch.name, "v_x_1", v_x_1, v_x_1_first, v_x_1_count, sizeof *v_x_1, CUVIER_READ);
    cuvier_map(launch.name, "board_cells_1", board_cells_1, board_cells_1_first, board_cells_1_count, sizeof *board_cells_1, 0);
    long v_x_1_skip;
    cl_mem v_x_1_cells = cuvier_cells(&launch, v_x_1, v_x_1_first, v_x_1_count, sizeof *v_x_1, &v_x_1_skip);
    long board_cells_1_skip;
    cl_mem board_cells_1_cells = cuvier_cells(&launch, board_cells_1, board_cells_1_first, board_cells_1_count, sizeof *board_cells_1, &board_cells_1_skip);

    cuvier_argument(&launch, "v_x_1", sizeof v_x_1_cells, &v_x_1_cells);
    cuvier_argument(&launch, "v_x_1_skip", sizeof v_x_1_skip, &v_x_1_skip);
    cuvier_argument(&launch, "board_cells_1_cells", sizeof board_cells_1_cells, &board_cells_1_cells);
    cuvier_argument(&launch, "board_cells_1_skip", sizeof board_cells_1_skip, &board_cells_1_skip);
    cuvier_argument(&launch, "board_w_1", sizeof board_w_1, &board_w_1);
    cuvier_argument(&launch, "i_trips", sizeof i_trips, &i_trips);
    cuvier_argument(&launch, "j_trips", sizeof j_trips, &j_trips);
    cuvier_run(&launch, groups, local);

    cuvier_wrote(board_cells_1, board_cells_1_first, board_cells_1_count, sizeof *board_cells_1);
    cuvier_end(&launch);
}

void k6_host_reads(const void *first, unsigned long bytes)
{
    cuvier_host_reads(first, bytes);
}

void k6_host_writes(const void *first, unsigned long bytes)
{
    cuvier_host_writes(first, bytes);
}

void k6_host_overwrites(const void *first, unsigned long bytes)
{
    cuvier_host_overwrites(first, bytes);
}

void k6_host_reads_all(void)
{
    cuvier_host_reads_all();
}

void k6_host_takes_all(void)
{
    cuvier_release("host code");
}

void k6_host_drops(const void *first, unsigned long bytes)
{
    cuvier_host_drops(first, bytes);
}

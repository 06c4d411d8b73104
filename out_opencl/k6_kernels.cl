/* The kernels of k6.c in OpenCL C. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

/* k6.c:5, f(): v->x[0:board_w_1-1]|element -> board.cells[0:board_w_1-1,0:8]|element */
__kernel void k6_k1_device(
    __global const double *v_x_1,
    long v_x_1_skip,
    __global double *board_cells_1_cells,
    long board_cells_1_skip,
    int board_w_1,
    long i_trips,
    long j_trips)
{
    v_x_1 = (__global const double *)((__global const char *)v_x_1 + v_x_1_skip);
    board_cells_1_cells = (__global double *)((__global char *)board_cells_1_cells + board_cells_1_skip);
    __global double (*board_cells_1)[9] = (__global double (*)[9])board_cells_1_cells;
    for (long i_t = get_global_id(1); i_t < i_trips; i_t += get_global_size(1)) {
        int i = i_t;
        if (!(i < board_w_1))
            break;
        for (long j_t = get_global_id(0); j_t < j_trips; j_t += get_global_size(0)) {
            int j = j_t;
            if (!(j < 9))
                break;
            board_cells_1[i][j] = v_x_1[i] + j;
        }
    }
}

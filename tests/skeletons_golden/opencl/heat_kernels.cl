/* The kernels of heat.c in OpenCL C. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

#define N 512

/* C's functions with C's types. */
static double c_fabs(double x)
{
    return fabs(x);
}

/* heat.c:12, step(): now[0:n-1,0:n-1]|neighbourhood(-1:1,-1:1) -> next[1:n-2,1:n-2]|element */
__kernel void heat_k1_device(
    __global double *next_cells,
    long next_skip,
    long next_first,
    __global const double *now_cells,
    long now_skip,
    long now_low0,
    long now_high0,
    long now_low1,
    long now_high1,
    int n,
    double rate,
    long i_trips,
    long j_trips)
{
    next_cells = (__global double *)((__global char *)next_cells + next_skip);
    now_cells = (__global const double *)((__global const char *)now_cells + now_skip);
    __global double (*next)[N] = (__global double (*)[N])((uintptr_t)next_cells - next_first * sizeof(*next_cells));
    __global const double (*now)[N] = (__global const double (*)[N])now_cells;
    __local double now_tile[6][18];
    const int i_in = get_local_id(1);
    const int j_in = get_local_id(0);
    for (long i_base = (long)get_group_id(1) * 4; i_base < i_trips; i_base += (long)get_num_groups(1) * 4) {
        for (long j_base = (long)get_group_id(0) * 16; j_base < j_trips; j_base += (long)get_num_groups(0) * 16) {
            for (int at0 = i_in; at0 < 6; at0 += 4) {
                const long cell0 = (long)1 + i_base + at0 - 1;
                for (int at1 = j_in; at1 < 18; at1 += 16) {
                    const long cell1 = (long)1 + j_base + at1 - 1;
                    if (cell0 >= now_low0 && cell0 <= now_high0 && cell1 >= now_low1 && cell1 <= now_high1)
                        now_tile[at0][at1] = now[cell0][cell1];
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            const long i_t = i_base + i_in;
            int i = 1 + i_t;
            const long j_t = j_base + j_in;
            int j = 1 + j_t;
            if (i_t < i_trips && (i < n - 1) && j_t < j_trips && (j < n - 1)) {
                {
                    /* the four neighbours */
                    next[i][j] = now_tile[i_in + 1][j_in + 1] + rate * (now_tile[i_in][j_in + 1] + now_tile[i_in + 2][j_in + 1] + now_tile[i_in + 1][j_in] + now_tile[i_in + 1][j_in + 2] - 4 * now_tile[i_in + 1][j_in + 1]);
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
}

/* The terms are combined in another order than the loop's, always the same: the last digits may differ. */
/* heat.c:18, step(): next[0:n-1,0:n-1]|element ^ now[0:n-1,0:n-1]|element -> change[0:0]|shared */
__kernel void heat_k3_device(
    __global const double *next_cells,
    long next_skip,
    __global const double *now_cells,
    long now_skip,
    int n,
    __global double *change_partials,
    long i_trips,
    long j_trips)
{
    next_cells = (__global const double *)((__global const char *)next_cells + next_skip);
    now_cells = (__global const double *)((__global const char *)now_cells + now_skip);
    __global const double (*next)[N] = (__global const double (*)[N])next_cells;
    __global const double (*now)[N] = (__global const double (*)[N])now_cells;
    double change = 0;
    for (long i_t = get_global_id(1); i_t < i_trips; i_t += get_global_size(1)) {
        int i = i_t;
        if (!(i < n))
            break;
        for (long j_t = get_global_id(0); j_t < j_trips; j_t += get_global_size(0)) {
            int j = j_t;
            if (!(j < n))
                break;
            change += c_fabs(next[i][j] - now[i][j]);
        }
    }

    /* combine the parts of the work-group */
    const int item = (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);
    __local double change_parts[64];
    change_parts[item] = change;
    for (int width = 64; width > 1; width = (width + 1) / 2) {
        const int other = item + (width + 1) / 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (other < width)
            change_parts[item] = change_parts[item] + change_parts[other];
    }
    if (item == 0) {
        change_partials[(get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0)] = change_parts[0];
    }
}

/* heat.c:21, step() */
__kernel void heat_k5_device(
    __global const double *next_cells,
    long next_skip,
    __global double *now_cells,
    long now_skip,
    int n,
    __global double *last_last,
    long i_trips,
    long i_end)
{
    next_cells = (__global const double *)((__global const char *)next_cells + next_skip);
    now_cells = (__global double *)((__global char *)now_cells + now_skip);
    __global const double (*next)[N] = (__global const double (*)[N])next_cells;
    __global double (*now)[N] = (__global double (*)[N])now_cells;
    for (long i_t = get_global_id(0); i_t < i_trips; i_t += get_global_size(0)) {
        int i = (n - 1) - i_t * 2;
        if (!(i >= 0))
            break;
        double last;
        {
            last = next[i][i];
            now[i][0] = last; // the border
        }
        if (i_t == i_end) {
            *last_last = last;
        }
    }
}

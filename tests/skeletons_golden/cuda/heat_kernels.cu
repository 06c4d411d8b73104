/* The kernels of heat.c in CUDA, and the functions that launch them: data in, kernel, data out. */
#include "heat_kernels.h"

#include "cuvier_runtime.h"

#define N 512

/* C's functions with C's types. */
static __device__ double c_fabs(double x)
{
    return fabs(x);
}

/* heat.c:12, step(): now[0:n-1,0:n-1]|neighbourhood(-1:1,-1:1) -> next[1:n-2,1:n-2]|element */
static __global__ void heat_k1_device(
    double *next_cells,
    long next_first,
    const double *now_cells,
    long now_low0,
    long now_high0,
    long now_low1,
    long now_high1,
    int n,
    double rate,
    long i_trips,
    long j_trips)
{
    double (*next)[N] = (double (*)[N])(next_cells - next_first);
    const double (*now)[N] = (const double (*)[N])now_cells;
    __shared__ double now_tile[10][34];
    const int i_in = threadIdx.y;
    const int j_in = threadIdx.x;
    for (long i_base = (long)blockIdx.y * 8; i_base < i_trips; i_base += (long)gridDim.y * 8) {
        for (long j_base = (long)blockIdx.x * 32; j_base < j_trips; j_base += (long)gridDim.x * 32) {
            for (int at0 = i_in; at0 < 10; at0 += 8) {
                const long cell0 = (long)1 + i_base + at0 - 1;
                for (int at1 = j_in; at1 < 34; at1 += 32) {
                    const long cell1 = (long)1 + j_base + at1 - 1;
                    if (cell0 >= now_low0 && cell0 <= now_high0 && cell1 >= now_low1 && cell1 <= now_high1)
                        now_tile[at0][at1] = now[cell0][cell1];
                }
            }
            __syncthreads();
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
            __syncthreads();
        }
    }
}

/* heat.c:12, step(). */
extern "C" void heat_k1(double *next, const double *now, int n, double rate)
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
    const dim3 block(32, 8, 1);
    const dim3 grid(cuvier_groups(j_trips, 32, 1048576), cuvier_groups(i_trips, 8, 65535), 1);
    const char *const kernel = "heat_k1";

    cuvier_map(kernel, "next", next, next_first, next_count, sizeof *next, CUVIER_READ);
    cuvier_map(kernel, "now", now, now_first, now_count, sizeof *now, CUVIER_READ);
    double *next_cells = (double *)cuvier_cells(next, next_first, next_count, sizeof *next);
    double *now_cells = (double *)cuvier_cells(now, now_first, now_count, sizeof *now);

    cuvier_start(kernel);
    heat_k1_device<<<grid, block>>>(next_cells, next_count > 0 ? next_first : 0, now_cells, now_low0, now_high0, now_low1, now_high1, n, rate, i_trips, j_trips);
    cuvier_check_launch(kernel);

    cuvier_wrote(next, next_first, next_count, sizeof *next);
    cuvier_release(kernel);
}

/* The terms are combined in another order than the loop's, always the same: the last digits may differ. */
/* heat.c:18, step(): next[0:n-1,0:n-1]|element ^ now[0:n-1,0:n-1]|element -> change[0:0]|shared */
static __global__ void heat_k3_device(
    const double *__restrict__ next_cells,
    const double *__restrict__ now_cells,
    int n,
    double *__restrict__ change_partials,
    long i_trips,
    long j_trips)
{
    const double (*next)[N] = (const double (*)[N])next_cells;
    const double (*now)[N] = (const double (*)[N])now_cells;
    double change = 0;
    enum { j_coarse = 4 }; /* iterations over j that a thread makes at a time */
    const long j_each = CUVIER_COUNT(x) < j_trips ? j_coarse : 1;
    for (long i_t = CUVIER_ID(y); i_t < i_trips; i_t += CUVIER_COUNT(y)) {
        int i = i_t;
        if (!(i < n))
            break;
        for (long j_base = blockIdx.x * j_each * blockDim.x + threadIdx.x; j_base < j_trips; j_base += j_each * CUVIER_COUNT(x)) {
            const auto iteration = [&](long j_t) {
                int j = j_t;
                change += c_fabs(next[i][j] - now[i][j]);
            };
            const long j_last = j_base + (j_coarse - 1) * blockDim.x;
            if (j_each > 1 && j_last < j_trips && (j_last < n)) {
                #pragma unroll
                for (int j_in = 0; j_in < j_coarse; j_in++)
                    iteration(j_base + j_in * blockDim.x);
            } else {
                for (long j_t = j_base; j_t < j_trips && j_t < j_base + j_each * blockDim.x; j_t += blockDim.x) {
                    int j = j_t;
                    if (!(j < n))
                        break;
                    iteration(j_t);
                }
            }
        }
    }

    /* combine the parts of every warp, and then those of the warps */
    const int item = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    for (int offset = 16; offset > 0; offset /= 2) {
        const double change_parts_other = __shfl_down_sync(0xffffffffu, change, offset);
        change = change + change_parts_other;
    }
    __shared__ double change_parts[8];
    if (item % 32 == 0)
        change_parts[item / 32] = change;
    __syncthreads();
    if (item < 32) {
        change = item < 8 ? change_parts[item] : 0;
        for (int offset = 4; offset > 0; offset /= 2) {
            const double change_parts_other = __shfl_down_sync(0xffffffffu, change, offset);
            change = change + change_parts_other;
        }
    }
    if (item == 0) {
        change_partials[(blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x] = change;
    }
}

/* heat.c:18, step(). */
extern "C" void heat_k3(const double *next, const double *now, int n, double *change)
{
    const long i_trips = n;
    const long j_trips = n;
    if (i_trips <= 0 || j_trips <= 0)
        return;
    const long next_first = 0;
    const long next_count = ((long)(n - 1) * N + (n - 1)) - next_first + 1;
    const long now_first = 0;
    const long now_count = ((long)(n - 1) * N + (n - 1)) - now_first + 1;
    const long j_each = i_trips * j_trips < 1048576 ? 1 : 4; /* iterations over j per thread */
    const dim3 block(32, 8, 1);
    dim3 grid(cuvier_groups(j_trips, 32 * j_each, 1024), 1, 1); /* 1024 blocks at most */
    grid.y = cuvier_groups(i_trips, 8, 1024 / grid.x);
    const char *const kernel = "heat_k3";

    cuvier_map(kernel, "next", next, next_first, next_count, sizeof *next, CUVIER_READ);
    cuvier_map(kernel, "now", now, now_first, now_count, sizeof *now, CUVIER_READ);
    double *next_cells = (double *)cuvier_cells(next, next_first, next_count, sizeof *next);
    double *now_cells = (double *)cuvier_cells(now, now_first, now_count, sizeof *now);
    const long change_partials_count = (long)grid.x * grid.y * grid.z;
    double *change_partials = (double *)cuvier_alloc(kernel, "change", change_partials_count, sizeof *change);

    cuvier_start(kernel);
    heat_k3_device<<<grid, block>>>(next_cells, now_cells, n, change_partials, i_trips, j_trips);
    cuvier_check_launch(kernel);

    double *change_partials_host = (double *)cuvier_host_alloc(kernel, "change", change_partials_count, sizeof *change);
    cuvier_hand_out(kernel, "change", change_partials, change_partials_host, change_partials_count, sizeof *change);
    for (long part = 0; part < change_partials_count; part++)
        *change = *change + change_partials_host[part];
    free(change_partials_host);
    cuvier_free(kernel, "change", change_partials);
    cuvier_release(kernel);
}

/* heat.c:21, step() */
static __global__ void heat_k5_device(
    const double *__restrict__ next_cells,
    double *__restrict__ now_cells,
    int n,
    double *__restrict__ last_last,
    long i_trips,
    long i_end)
{
    const double (*next)[N] = (const double (*)[N])next_cells;
    double (*now)[N] = (double (*)[N])now_cells;
    enum { i_coarse = 4 }; /* iterations over i that a thread makes at a time */
    const long i_each = CUVIER_COUNT(x) < i_trips ? i_coarse : 1;
    for (long i_base = blockIdx.x * i_each * blockDim.x + threadIdx.x; i_base < i_trips; i_base += i_each * CUVIER_COUNT(x)) {
        const auto iteration = [&](long i_t) {
            int i = (n - 1) - i_t * 2;
            double last;
            {
                last = next[i][i];
                now[i][0] = last; // the border
            }
            if (i_t == i_end) {
                *last_last = last;
            }
        };
        const long i_last = i_base + (i_coarse - 1) * blockDim.x;
        if (i_each > 1 && i_last < i_trips && (((n - 1) - i_last * 2) >= 0)) {
            #pragma unroll
            for (int i_in = 0; i_in < i_coarse; i_in++)
                iteration(i_base + i_in * blockDim.x);
        } else {
            for (long i_t = i_base; i_t < i_trips && i_t < i_base + i_each * blockDim.x; i_t += blockDim.x) {
                int i = (n - 1) - i_t * 2;
                if (!(i >= 0))
                    break;
                iteration(i_t);
            }
        }
    }
}

/* heat.c:21, step(). */
extern "C" void heat_k5(const double *next, double *now, int n, double *last)
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
    const long i_each = i_trips < 1048576 ? 1 : 4; /* iterations over i per thread */
    const long width = i_trips < 32768 ? 64 : 256; /* few threads are spread over more blocks */
    const dim3 block(width, 1, 1);
    const dim3 grid(cuvier_groups(i_trips, width * i_each, 1048576), 1, 1);
    const char *const kernel = "heat_k5";

    cuvier_map(kernel, "next", next, next_first, next_count, sizeof *next, CUVIER_READ);
    cuvier_map(kernel, "now", now, now_first, now_count, sizeof *now, CUVIER_READ);
    double *next_cells = (double *)cuvier_cells(next, next_first, next_count, sizeof *next);
    double *now_cells = (double *)cuvier_cells(now, now_first, now_count, sizeof *now);
    double *last_last = (double *)cuvier_alloc(kernel, "last", 1, sizeof *last);

    cuvier_start(kernel);
    heat_k5_device<<<grid, block>>>(next_cells, now_cells, n, last_last, i_trips, i_end);
    cuvier_check_launch(kernel);

    cuvier_wrote(now, now_first, now_count, sizeof *now);
    if (i_end >= 0)
        cuvier_hand_out(kernel, "last", last_last, last, 1, sizeof *last);
    cuvier_free(kernel, "last", last_last);
    cuvier_release(kernel);
}

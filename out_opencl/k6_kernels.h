/* Launches the kernels of k6.c; each function does what the loop in its place did. */
#ifndef K6_KERNELS_H
#define K6_KERNELS_H

#ifdef __cplusplus
extern "C" {
#endif

/* v->x[0:board_w_1-1]|element -> board.cells[0:board_w_1-1,0:8]|element */
void k6_k1(const double *v_x_1, double *board_cells_1, int board_w_1);

/* Data stays on the device between kernels: before the host reads or writes what these may have touched, it says so.  `bytes`
 * from `first` on; where that is 0, all that kernels touched of the array at `first`. */
void k6_host_reads(const void *first, unsigned long bytes);
void k6_host_writes(const void *first, unsigned long bytes);
void k6_host_overwrites(const void *first, unsigned long bytes); /* all of them */
/* The host reads anything. */
void k6_host_reads_all(void);
/* Nothing stays on the device. */
void k6_host_takes_all(void);
/* The memory is not needed any more, on the device or here. */
void k6_host_drops(const void *first, unsigned long bytes);

#ifdef __cplusplus
}
#endif

#endif

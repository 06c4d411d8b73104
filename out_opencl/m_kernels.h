/* Launches the kernels of m.c; each function does what the loop in its place did. */
#ifndef M_KERNELS_H
#define M_KERNELS_H

#ifdef __cplusplus
extern "C" {
#endif

/* v->x[0:v_n_1-1]|element ^ v->y[0:v_n_1-1]|element -> v->y[0:v_n_1-1]|element */
void m_k1(const double *v_x_1, double *v_y_1, int v_n_1, double v_scale_1);
/* void -> v.x[0:v_n_1-1]|element ^ v.y[0:v_n_1-1]|element */
void m_k9(double *v_x_1, double *v_y_1, int v_n_1);

/* Data stays on the device between kernels: before the host reads or writes what these may have touched, it says so.  `bytes`
 * from `first` on; where that is 0, all that kernels touched of the array at `first`. */
void m_host_reads(const void *first, unsigned long bytes);
void m_host_writes(const void *first, unsigned long bytes);
void m_host_overwrites(const void *first, unsigned long bytes); /* all of them */
/* The host reads anything. */
void m_host_reads_all(void);
/* Nothing stays on the device. */
void m_host_takes_all(void);
/* The memory is not needed any more, on the device or here. */
void m_host_drops(const void *first, unsigned long bytes);

#ifdef __cplusplus
}
#endif

#endif

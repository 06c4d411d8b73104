/* A clock around kernels; timer.c writes the sums when the program ends. */
#ifndef CUVIER_TIMER_H
#define CUVIER_TIMER_H

#ifdef __cplusplus
extern "C" {
#endif

/* Seconds since some moment. */
double cuvier_timer_now(void);

/* Adds seconds to those of the kernel with this number. */
void cuvier_timer_add(int kernel, double seconds);

#ifdef __cplusplus
}
#endif

#endif

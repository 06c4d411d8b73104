#ifndef CUVIER_SYS_TIME_H
#define CUVIER_SYS_TIME_H
#include <time.h>
struct timeval { time_t tv_sec; long tv_usec; };
int gettimeofday(struct timeval *restrict, void *restrict);
#endif

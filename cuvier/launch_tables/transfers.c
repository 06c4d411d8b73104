/* For each number of bytes on stdin: the seconds to bring so many to the device, and back, as programs with versions do it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cuvier_runtime.h"

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

enum { TIMES = 5 };

int main(void)
{
    long bytes;
#ifdef CL_VERSION_1_0
    cuvier_open("__kernel void nothing(void) {}\n", "transfers");
#else
    cuvier_device_open("transfers");
#endif
    while (scanf("%ld", &bytes) == 1) {
        double to = 1e30, from = 1e30;
        char *host = (char *)malloc((size_t)bytes);
        if (host == NULL)
            return 1;
        memset(host, 1, (size_t)bytes);
        for (int k = 0; k <= TIMES; k++) {
            cuvier_host_writes(host, (size_t)bytes); /* the device's copy is out of date */
            double start = now();
            cuvier_map("transfers", "host", host, 0, bytes, 1, CUVIER_READ);
            cuvier_wait("transfers");
            const double there = now() - start;
            cuvier_wrote(host, 0, bytes, 1);
            start = now();
            cuvier_host_reads(host, (size_t)bytes);
            const double back = now() - start;
            if (k > 0) { /* the first one makes the buffer */
                to = there < to ? there : to;
                from = back < from ? back : from;
            }
        }
        cuvier_host_drops(host, (size_t)bytes);
        free(host);
        printf("%.9g %.9g\n", to, from);
        fflush(stdout);
    }
    return 0;
}

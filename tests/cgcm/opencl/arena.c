/* The arena grows: units keep their places and contents, also what kernels wrote; then it is full. */
#include <stdio.h>
#include <stdlib.h>

#include "cgcm.h"
#include "device.h"

enum { UNITS = 24, WORDS = 100000 };

int main(void)
{
    static uint64_t units[UNITS][WORDS];
    cgcm_address at[UNITS];
    unsigned long changed = 0;
    device_use();
    for (int k = 0; k < UNITS; k++) {
        units[k][0] = units[k][WORDS - 1] = (uint64_t)k;
        cgcm_declare("unit", units[k], sizeof units[k], 0);
        cl_mem before = cgcm_opencl_arena();
        at[k] = cgcm_map(units[k]);
        changed += before != cgcm_opencl_arena();
        device_write(at[k] + 8, (uint64_t)k + 100);
    }
    cgcm_launched("store");
    for (int k = 0; k < UNITS; k += 2)
        cgcm_release(units[k]); /* holes, which are filled again */
    for (int k = 0; k < UNITS; k += 2) {
        at[k] = cgcm_map(units[k]);
        device_write(at[k] + 8, (uint64_t)k + 100);
    }
    cgcm_launched("store");
    for (int k = 0; k < UNITS; k++) {
        cgcm_unmap(units[k]);
        cgcm_release(units[k]);
        if (units[k][0] != (uint64_t)k || units[k][1] != (uint64_t)k + 100 || units[k][WORDS - 1] != (uint64_t)k)
            printf("unit %d is wrong\n", k);
    }
    printf("%s, %lu bytes\n", changed > 2 ? "grown" : "not grown", cgcm_total().device_bytes);
    fflush(stdout);
    cgcm_declare("huge", (void *)8, (size_t)1 << 46, 0);
    cgcm_map((void *)8);
    return 0;
}

/* Launches the kernels of k5.c: data in, kernel, data out. */
#include "k5_kernels.h"

#include "cuvier_runtime.h"

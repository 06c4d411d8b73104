/* Launches the kernels of k7.c: data in, kernel, data out. */
#include "k7_kernels.h"

#include "cuvier_runtime.h"

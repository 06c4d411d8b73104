// Cuvier host shim: the library. Compile it with -DCUVIER_SHIM_LIBRARY, and so the programs that are linked with it.
#ifndef CUVIER_SHIM_LIBRARY
#error "define CUVIER_SHIM_LIBRARY, here and in the programs; without it the headers hold everything"
#endif

#include "cuda_runtime.h"
#include "definitions/all.h"

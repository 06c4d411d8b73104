// Cuvier host shim: threadIdx and its companions come from the same header here.
#pragma once
#include "cuda_runtime.h"

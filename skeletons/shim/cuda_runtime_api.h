// Cuvier host shim: the C part of NVIDIA's API comes from the same header here.
#pragma once
#include "cuda_runtime.h"

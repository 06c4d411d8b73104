// Cuvier host shim: runs CUDA programs on the CPU, with plain g++ and no GPU (docs/host-shim.md).
//
// This header stands in for NVIDIA's header of the same name. The source text goes through `python -m skeletons.shim`
// first, which turns kernel launches and shared-memory declarations into C++.
#pragma once

#if !defined(__cplusplus) || __cplusplus < 201703L
#error "the Cuvier host shim needs C++17: compile with g++ -std=c++17"
#endif

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CUVIER_HOST_SHIM 1

#define __global__
#define __device__
#define __host__
#define __constant__
#define __shared__ static
#define __launch_bounds__(...)
#define __forceinline__ inline __attribute__((__always_inline__))
#define __noinline__  // empty: libstdc++ writes __attribute__((__noinline__)), which has to stay valid
#define __align__(n) __attribute__((__aligned__(n)))

#include "shim_types.h"
// The order matters only to readers: each header includes what it needs.
#include "shim_atomic.h"
#include "shim_copy.h"
#include "shim_device.h"
#include "shim_error.h"
#include "shim_launch.h"
#include "shim_math.h"
#include "shim_memory.h"
#include "shim_shared.h"
#include "shim_stream.h"
#include "shim_warp.h"

#ifndef CUVIER_SHIM_LIBRARY
#include "definitions/all.h"
#endif

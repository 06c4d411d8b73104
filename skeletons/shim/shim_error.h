// Cuvier host shim: error codes and the last error.
#pragma once

#include "shim_mode.h"

#define CUVIER_SHIM_ERRORS(entry)                                                   \
    entry(cudaSuccess, 0, "no error")                                               \
    entry(cudaErrorInvalidValue, 1, "invalid argument")                             \
    entry(cudaErrorMemoryAllocation, 2, "out of memory")                            \
    entry(cudaErrorInitializationError, 3, "initialization error")                  \
    entry(cudaErrorInvalidConfiguration, 9, "invalid configuration argument")       \
    entry(cudaErrorInvalidPitchValue, 12, "invalid pitch argument")                 \
    entry(cudaErrorInvalidSymbol, 13, "invalid device symbol")                      \
    entry(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy") \
    entry(cudaErrorInsufficientDriver, 35, "CUDA driver version is insufficient for CUDA runtime version") \
    entry(cudaErrorNoDevice, 100, "no CUDA-capable device is detected")             \
    entry(cudaErrorInvalidDevice, 101, "invalid device ordinal")                    \
    entry(cudaErrorInvalidResourceHandle, 400, "invalid resource handle")           \
    entry(cudaErrorNotReady, 600, "device not ready")                               \
    entry(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered") \
    entry(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch") \
    entry(cudaErrorLaunchFailure, 719, "unspecified launch failure")                \
    entry(cudaErrorNotSupported, 801, "operation not supported")                    \
    entry(cudaErrorUnknown, 999, "unknown error")

enum cudaError {
#define CUVIER_SHIM_ENTRY(name, value, text) name = value,
    CUVIER_SHIM_ERRORS(CUVIER_SHIM_ENTRY)
#undef CUVIER_SHIM_ENTRY
};
typedef enum cudaError cudaError_t;

CUVIER_SHIM_API const char *cudaGetErrorName(cudaError_t error);
CUVIER_SHIM_API const char *cudaGetErrorString(cudaError_t error);
CUVIER_SHIM_API cudaError_t cudaPeekAtLastError();
CUVIER_SHIM_API cudaError_t cudaGetLastError();

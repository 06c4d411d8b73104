// Cuvier host shim: streams and events. Work is done when it is asked for, so a stream is only a handle, and an event
// is the time at which it was recorded.
#pragma once

#include "shim_error.h"

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;

inline constexpr unsigned cudaStreamDefault = 0, cudaStreamNonBlocking = 1;
inline constexpr unsigned cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2;

CUVIER_SHIM_API cudaError_t cudaStreamCreate(cudaStream_t *stream);
CUVIER_SHIM_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
CUVIER_SHIM_API cudaError_t cudaStreamDestroy(cudaStream_t stream);
CUVIER_SHIM_API cudaError_t cudaStreamSynchronize(cudaStream_t stream);
CUVIER_SHIM_API cudaError_t cudaStreamQuery(cudaStream_t stream);
CUVIER_SHIM_API cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);

CUVIER_SHIM_API cudaError_t cudaEventCreate(cudaEvent_t *event);
CUVIER_SHIM_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
CUVIER_SHIM_API cudaError_t cudaEventDestroy(cudaEvent_t event);
CUVIER_SHIM_API cudaError_t cudaEventSynchronize(cudaEvent_t event);
CUVIER_SHIM_API cudaError_t cudaEventQuery(cudaEvent_t event);
CUVIER_SHIM_API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
CUVIER_SHIM_API cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end);

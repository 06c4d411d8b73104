// Cuvier host shim: the handles of streams and events.
#pragma once

#include <chrono>
#include <map>
#include <memory>

#include "../shim_stream.h"
#include "memory.h"

struct CUstream_st {};
struct CUevent_st {
    bool recorded = false;
    std::chrono::steady_clock::time_point time{};
};

namespace cuvier_shim {

// The living handles of one type. Never destroyed: a program may use a stream in a destructor at its end.
template <class T>
std::map<const T *, std::unique_ptr<T>> &handles() {
    static auto &all = *new std::map<const T *, std::unique_ptr<T>>;
    return all;
}

template <class T>
cudaError_t create_handle(T **handle) {
    const Lock hold(device_lock());
    auto made = std::make_unique<T>();
    *handle = made.get();
    handles<T>()[*handle] = std::move(made);
    return result(cudaSuccess);
}

template <class T>
cudaError_t destroy_handle(T *handle) {
    const Lock hold(device_lock());
    return result(handles<T>().erase(handle) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

// The outcome of using a handle; a null stream is the default stream.
template <class T>
cudaError_t use_handle(const T *handle, bool null_allowed = false) {
    const Lock hold(device_lock());
    const bool known = handle ? handles<T>().count(handle) != 0 : null_allowed;
    return result(known ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

}  // namespace cuvier_shim

cudaError_t cudaStreamCreate(cudaStream_t *stream) { return cuvier_shim::create_handle(stream); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned) { return cudaStreamCreate(stream); }
cudaError_t cudaStreamDestroy(cudaStream_t stream) { return cuvier_shim::destroy_handle(stream); }
cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return cuvier_shim::use_handle(stream, true); }
cudaError_t cudaStreamQuery(cudaStream_t stream) { return cuvier_shim::use_handle(stream, true); }

cudaError_t cudaEventCreate(cudaEvent_t *event) { return cuvier_shim::create_handle(event); }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned) { return cudaEventCreate(event); }
cudaError_t cudaEventDestroy(cudaEvent_t event) { return cuvier_shim::destroy_handle(event); }
cudaError_t cudaEventSynchronize(cudaEvent_t event) { return cuvier_shim::use_handle(event); }
cudaError_t cudaEventQuery(cudaEvent_t event) { return cuvier_shim::use_handle(event); }

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    const cudaError_t error = cuvier_shim::use_handle(event);
    return error == cudaSuccess ? cuvier_shim::use_handle(stream, true) : error;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    const cudaError_t error = cudaStreamWaitEvent(stream, event);
    if (error == cudaSuccess) *event = {true, std::chrono::steady_clock::now()};
    return error;
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
    for (const cudaEvent_t event : {start, end}) {
        const cudaError_t error = cuvier_shim::use_handle(event);
        if (error != cudaSuccess) return error;
        if (!event->recorded) return cuvier_shim::result(cudaErrorInvalidResourceHandle);
    }
    *milliseconds = std::chrono::duration<float, std::milli>(end->time - start->time).count();
    return cudaSuccess;
}

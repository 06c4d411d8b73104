// Cuvier host shim: the last error, and the end of a program that broke a rule of CUDA.
#pragma once

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "../shim_error.h"

const char *cudaGetErrorName(cudaError_t error) {
    switch (error) {
#define CUVIER_SHIM_ENTRY(name, value, text) case name: return #name;
        CUVIER_SHIM_ERRORS(CUVIER_SHIM_ENTRY)
#undef CUVIER_SHIM_ENTRY
    }
    return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error) {
    switch (error) {
#define CUVIER_SHIM_ENTRY(name, value, text) case name: return text;
        CUVIER_SHIM_ERRORS(CUVIER_SHIM_ENTRY)
#undef CUVIER_SHIM_ENTRY
    }
    return "unrecognized error code";
}
#undef CUVIER_SHIM_ERRORS

namespace cuvier_shim {

inline constexpr int exit_status = 86;  // of a program that the shim stops
inline cudaError_t last_error = cudaSuccess;
inline cudaError_t sticky_error = cudaSuccess;  // a kernel's failure: every later call returns it, as on a device

// The result of an API call: remembers an error for cudaGetLastError, and repeats a kernel's failure.
inline cudaError_t result(cudaError_t error) {
    if (sticky_error != cudaSuccess) error = sticky_error;
    if (error != cudaSuccess) last_error = error;
    return error;
}

inline void print_message(const char *format, va_list arguments) {
    std::fflush(nullptr);
    std::fputs("cuvier host shim: ", stderr);
    std::vfprintf(stderr, format, arguments);
    std::fputc('\n', stderr);
}

__attribute__((__format__(__printf__, 1, 2))) inline void warn(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_message(format, arguments);
    va_end(arguments);
}

// Ends the program at once: the stack may be a fiber's, and atexit handlers may be what is running.
[[noreturn]] __attribute__((__format__(__printf__, 1, 2))) inline void fatal(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_message(format, arguments);
    va_end(arguments);
    std::_Exit(exit_status);
}

}  // namespace cuvier_shim

cudaError_t cudaPeekAtLastError() { return cuvier_shim::last_error; }

cudaError_t cudaGetLastError() {
    const cudaError_t error = cuvier_shim::last_error;
    cuvier_shim::last_error = cuvier_shim::sticky_error;
    return error;
}

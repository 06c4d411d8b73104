// Cuvier host shim: kernel launches. The text pass writes `k<<<grid, block>>>(x)` as
// `::cuvier_shim::shim_launch(CUVIER_SHIM_KERNEL(k), grid, block)(x)`.
#pragma once

#include <stddef.h>

#include <type_traits>

#include "shim_mode.h"
#include "shim_stream.h"
#include "shim_types.h"

// The kernel as a function object (it may be a template or overloaded), and its name.
#define CUVIER_SHIM_KERNEL(...)                                                                     \
    [&](auto... cuvier_shim_arguments) { __VA_ARGS__(cuvier_shim_arguments...); }, #__VA_ARGS__

namespace cuvier_shim {

// What stands before a launch's arguments.
struct Configuration {
    const char *kernel;
    dim3 grid, threads;
    size_t shared;
    cudaStream_t stream;
    Site site;
};

// A launch's arguments: those that are pointers, null for others, and what runs the kernel for the current thread.
struct Call {
    const volatile void *const *pointers;
    int count;
    void (*run)(const void *call);
    const void *call;
};

inline namespace CUVIER_SHIM_FLAVOUR {

CUVIER_SHIM_API void run_kernel(const Configuration &configuration, const Call &call);

}

// The address that an argument is, if it is one of data.
template <class T>
const volatile void *data_address(const T &argument) {
    if constexpr (std::is_pointer_v<T> && !std::is_function_v<std::remove_pointer_t<T>>) return argument;
    else return static_cast<void>(argument), nullptr;
}

template <class Kernel>
struct Launch {
    Kernel kernel;
    Configuration configuration;

    // Arguments are evaluated once, by the host; every thread gets its own copies, as a kernel's parameters are.
    template <class... Arguments>
    void operator()(Arguments... arguments) const {
        const volatile void *const pointers[] = {data_address(arguments)..., nullptr};
        const auto call = [&] { kernel(arguments...); };
        const auto run = [](const void *all) { (*static_cast<decltype(call) *>(all))(); };
        run_kernel(configuration, {pointers, sizeof...(arguments), run, &call});
    }
};

template <class Kernel>
Launch<Kernel> shim_launch(Kernel kernel, const char *name, dim3 grid, dim3 threads, size_t shared = 0,
                           cudaStream_t stream = nullptr, Site site = Site::here()) {
    return {kernel, {name, grid, threads, shared, stream, site}};
}

}  // namespace cuvier_shim

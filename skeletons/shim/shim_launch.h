// Cuvier host shim: kernel launches. The text pass writes `k<<<grid, block>>>(x)` as
// `::cuvier_shim::launch(CUVIER_SHIM_KERNEL(k), grid, block)(x)`.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "shim_block.h"
#include "shim_device.h"
#include "shim_memory.h"
#include "shim_order.h"
#include "shim_shared.h"
#include "shim_stream.h"

// The kernel as a function object (it may be a template or overloaded), and its name.
#define CUVIER_SHIM_KERNEL(...)                                                                     \
    [&](auto... cuvier_shim_arguments) { __VA_ARGS__(cuvier_shim_arguments...); }, #__VA_ARGS__

namespace cuvier_shim {

inline bool fits(dim3 extent, const unsigned (&limit)[3]) {
    return extent.x >= 1 && extent.y >= 1 && extent.z >= 1 && extent.x <= limit[0] && extent.y <= limit[1] &&
           extent.z <= limit[2];
}

inline bool valid_configuration(dim3 grid, dim3 threads) {
    return fits(grid, max_grid) && fits(threads, max_block) &&
           std::size_t{threads.x} * threads.y * threads.z <= max_threads;
}

// Is it a pointer that a kernel cannot use? A pointer a little outside an allocation is taken as one into it.
template <class T>
bool host_pointer(const T &argument) {
    if constexpr (std::is_pointer_v<T> && !std::is_function_v<std::remove_pointer_t<T>>)
        return argument && find_allocation(address_of(argument), guard_bytes) == allocations().end();
    else
        return static_cast<void>(argument), false;
}

inline void run_grid(dim3 grid, dim3 threads, std::size_t shared, const Body &body) {
    const DeviceAccess open;
    grid_size = grid;
    block_size = threads;
    block.body = body;
    block.prepare(threads);
    const std::uint64_t count = std::uint64_t{grid.x} * grid.y * grid.z;
    const BlockOrder order(count);
    open_dynamic_shared(shared);
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t number = order(i);
        block_index = {static_cast<unsigned>(number % grid.x), static_cast<unsigned>(number / grid.x % grid.y),
                       static_cast<unsigned>(number / grid.x / grid.y)};
        block.begin();
        refresh_dynamic_shared(shared);
        block.run();
    }
    check_dynamic_shared(shared);
}

template <class Kernel>
class Launch {
public:
    Launch(Kernel kernel, const char *name, dim3 grid, dim3 threads, std::size_t shared, cudaStream_t stream, Site site)
        : kernel_(kernel), name_(name), grid_(grid), threads_(threads), shared_(shared), stream_(stream), site_(site) {}

    // Arguments are evaluated once, by the host; every thread gets its own copies, as a kernel's parameters are.
    template <class... Arguments>
    void operator()(Arguments... arguments) const {
        const Lock hold(device_lock());
        if (use_handle(stream_, true) != cudaSuccess || !acceptable()) return;
        if (has_host_pointer(arguments...)) return;
        std::tuple<const Kernel &, Arguments...> call(kernel_, arguments...);
        run_grid(grid_, threads_, shared_, {thread<decltype(call)>, &call, name_, site_});
        check_all_guards({"after kernel ", name_, site_});
    }

private:
    Kernel kernel_;
    const char *name_;
    dim3 grid_, threads_;
    std::size_t shared_;
    cudaStream_t stream_;
    Site site_;

    bool acceptable() const {
        if (!valid_configuration(grid_, threads_)) return result(cudaErrorInvalidConfiguration) == cudaSuccess;
        return result(shared_ <= shared_limit ? cudaSuccess : cudaErrorInvalidValue) == cudaSuccess;
    }

    template <class... Arguments>
    bool has_host_pointer(const Arguments &...arguments) const {
        int position = 0, found = 0;
        ((++position, found = !found && host_pointer(arguments) ? position : found), ...);
        if (!found) return false;
        warn("argument %d of kernel %s launched at %s:%d is not a device pointer", found, name_, site_.file, site_.line);
        sticky_error = cudaErrorIllegalAddress;
        result(sticky_error);
        return true;
    }

    template <class Call>
    static void thread(void *call) {
        std::apply([](const Kernel &kernel, auto... copies) { kernel(copies...); }, *static_cast<Call *>(call));
    }
};

template <class Kernel>
Launch<Kernel> launch(Kernel kernel, const char *name, dim3 grid, dim3 threads, std::size_t shared = 0,
                      cudaStream_t stream = nullptr, Site site = Site::here()) {
    return {kernel, name, grid, threads, shared, stream, site};
}

}  // namespace cuvier_shim

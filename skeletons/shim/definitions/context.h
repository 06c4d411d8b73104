// Cuvier host shim: fibers. One stack each, switched by hand on x86-64 and AArch64, by ucontext elsewhere.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

#include "error.h"

#ifdef CUVIER_SHIM_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

// void cuvier_shim_switch(void **save, void *load): pushes the callee-saved registers, stores the stack pointer in
// *save, continues on the stack `load`. A comdat section, so that several translation units may hold it.
#if defined(CUVIER_SHIM_UCONTEXT) || !defined(__ELF__) || !(defined(__x86_64__) || defined(__aarch64__))
#undef CUVIER_SHIM_UCONTEXT
#define CUVIER_SHIM_UCONTEXT 1
#include <ucontext.h>
#elif defined(__x86_64__)
asm(R"(
.pushsection .text.cuvier_shim_switch,"axG",@progbits,cuvier_shim_switch,comdat
.weak cuvier_shim_switch
.type cuvier_shim_switch,@function
cuvier_shim_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size cuvier_shim_switch, .-cuvier_shim_switch
.popsection
)");
#else
asm(R"(
.pushsection .text.cuvier_shim_switch,"axG",@progbits,cuvier_shim_switch,comdat
.weak cuvier_shim_switch
.type cuvier_shim_switch,@function
cuvier_shim_switch:
    sub sp, sp, #160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x9, sp
    str x9, [x0]
    mov sp, x1
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
.size cuvier_shim_switch, .-cuvier_shim_switch
.popsection
)");
#endif

#ifndef CUVIER_SHIM_UCONTEXT
extern "C" void cuvier_shim_switch(void **save, void *load);
#endif

namespace cuvier_shim {

inline constexpr std::size_t stack_bytes = std::size_t{1} << 20;  // reserved, touched on use; CUDA's limit is 512 KB

struct Fiber {
#ifdef CUVIER_SHIM_UCONTEXT
    ucontext_t context{};
#else
    void *stack_pointer = nullptr;
#endif
    const void *bottom = nullptr;  // the stack, for AddressSanitizer
    std::size_t size = 0;
    void *fake_stack = nullptr;
};

inline Fiber *left_fiber = nullptr;  // the fiber that the last switch left

// To be called first on the stack that a switch has entered.
inline void after_switch([[maybe_unused]] void *fake_stack) {
#ifdef CUVIER_SHIM_ASAN
    __sanitizer_finish_switch_fiber(fake_stack, &left_fiber->bottom, &left_fiber->size);
#endif
}

inline void switch_fiber(Fiber &from, Fiber &to) {
    left_fiber = &from;
#ifdef CUVIER_SHIM_ASAN
    __sanitizer_start_switch_fiber(&from.fake_stack, to.bottom, to.size);
#endif
#ifdef CUVIER_SHIM_UCONTEXT
    swapcontext(&from.context, &to.context);
#else
    cuvier_shim_switch(&from.stack_pointer, to.stack_pointer);
#endif
    after_switch(from.fake_stack);
}

// Reserves a stack with a guard page below it: an overflow is a fault, not a change of somebody else's data.
inline char *reserve_stack() {
    const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    void *memory = mmap(nullptr, page + stack_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory, page, PROT_NONE) != 0) fatal("no memory for a thread's stack");
    return static_cast<char *>(memory) + page;
}

// Gives `fiber` a stack on which the first switch to it calls `entry`, which must never return. `number` staggers
// the stacks: equal offsets in large aligned blocks would all fall into the same few cache sets.
inline void prepare_fiber(Fiber &fiber, void (*entry)(), std::size_t number) {
    char *bottom = reserve_stack();
    fiber.bottom = bottom;
    fiber.size = stack_bytes;
    const std::size_t usable = stack_bytes - (number % 61) * 320;
#ifdef CUVIER_SHIM_UCONTEXT
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = bottom;
    fiber.context.uc_stack.ss_size = usable;
    fiber.context.uc_link = nullptr;
    makecontext(&fiber.context, entry, 0);
#elif defined(__x86_64__)
    auto *top = reinterpret_cast<std::uintptr_t *>(bottom + usable / 16 * 16);
    top -= 8;  // six registers, the entry's address, a null return address; fresh pages are zero
    top[6] = reinterpret_cast<std::uintptr_t>(entry);
    fiber.stack_pointer = top;
#else
    auto *top = reinterpret_cast<std::uintptr_t *>(bottom + usable / 16 * 16);
    top -= 20;
    top[11] = reinterpret_cast<std::uintptr_t>(entry);  // x30
    fiber.stack_pointer = top;
#endif
}

}  // namespace cuvier_shim

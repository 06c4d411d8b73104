// Cuvier host shim: atomic functions, with the overloads that CUDA has. One thread runs at a time and gives way only
// at barriers, so plain operations are atomic.
#pragma once

#define CUVIER_SHIM_ATOMIC(name, T, expression)     \
    inline T name(T *address, T value) {            \
        const T old = *address;                     \
        *address = (expression);                    \
        return old;                                 \
    }

// Sums of int wrap around on a GPU; unsigned arithmetic does the same here without undefined behaviour.
CUVIER_SHIM_ATOMIC(atomicAdd, int, static_cast<int>(static_cast<unsigned>(old) + static_cast<unsigned>(value)))
CUVIER_SHIM_ATOMIC(atomicAdd, unsigned, old + value)
CUVIER_SHIM_ATOMIC(atomicAdd, unsigned long long, old + value)
CUVIER_SHIM_ATOMIC(atomicAdd, float, old + value)
CUVIER_SHIM_ATOMIC(atomicAdd, double, old + value)
CUVIER_SHIM_ATOMIC(atomicSub, int, static_cast<int>(static_cast<unsigned>(old) - static_cast<unsigned>(value)))
CUVIER_SHIM_ATOMIC(atomicSub, unsigned, old - value)
CUVIER_SHIM_ATOMIC(atomicInc, unsigned, old >= value ? 0u : old + 1u)
CUVIER_SHIM_ATOMIC(atomicDec, unsigned, old == 0u || old > value ? value : old - 1u)

#define CUVIER_SHIM_INTEGER_ATOMICS(name, expression)      \
    CUVIER_SHIM_ATOMIC(name, int, expression)              \
    CUVIER_SHIM_ATOMIC(name, unsigned, expression)         \
    CUVIER_SHIM_ATOMIC(name, unsigned long long, expression)

CUVIER_SHIM_INTEGER_ATOMICS(atomicMin, value < old ? value : old)
CUVIER_SHIM_INTEGER_ATOMICS(atomicMax, value > old ? value : old)
CUVIER_SHIM_ATOMIC(atomicMin, long long, value < old ? value : old)
CUVIER_SHIM_ATOMIC(atomicMax, long long, value > old ? value : old)
CUVIER_SHIM_INTEGER_ATOMICS(atomicAnd, old & value)
CUVIER_SHIM_INTEGER_ATOMICS(atomicOr, old | value)
CUVIER_SHIM_INTEGER_ATOMICS(atomicXor, old ^ value)
CUVIER_SHIM_INTEGER_ATOMICS(atomicExch, value)
CUVIER_SHIM_ATOMIC(atomicExch, float, value)
#undef CUVIER_SHIM_INTEGER_ATOMICS
#undef CUVIER_SHIM_ATOMIC

#define CUVIER_SHIM_CAS(T)                                     \
    inline T atomicCAS(T *address, T expected, T desired) {    \
        const T old = *address;                                \
        if (old == expected) *address = desired;               \
        return old;                                            \
    }
CUVIER_SHIM_CAS(int)
CUVIER_SHIM_CAS(unsigned)
CUVIER_SHIM_CAS(unsigned long long)
CUVIER_SHIM_CAS(unsigned short)
#undef CUVIER_SHIM_CAS

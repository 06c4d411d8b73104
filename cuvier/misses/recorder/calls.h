/* The calls that -fsanitize=thread puts before accesses to memory: here they record, and no sanitizer is linked.
 * The includer defines `recorded`, which gets the address, the size, whether it is a write, and the place in code. */
#pragma once

#define CUVIER_ACCESS(name, size, write)                                                  \
    void __tsan_##name(void *address) { recorded(address, size, write, __builtin_return_address(0)); }
#define CUVIER_ACCESSES(size)                       \
    CUVIER_ACCESS(read##size, size, 0)              \
    CUVIER_ACCESS(write##size, size, 1)             \
    CUVIER_ACCESS(unaligned_read##size, size, 0)    \
    CUVIER_ACCESS(unaligned_write##size, size, 1)

CUVIER_ACCESSES(1)
CUVIER_ACCESSES(2)
CUVIER_ACCESSES(4)
CUVIER_ACCESSES(8)
CUVIER_ACCESSES(16)

static void recorded_range(void *address, size_t size, int write, void *place)
{
    for (size_t at = 0; at < size; at += 16)
        recorded((char *)address + at, size - at < 16 ? size - at : 16, write, place);
}

void __tsan_read_range(void *address, size_t size)
{
    recorded_range(address, size, 0, __builtin_return_address(0));
}

void __tsan_write_range(void *address, size_t size)
{
    recorded_range(address, size, 1, __builtin_return_address(0));
}

void __tsan_init(void) {}
void __tsan_func_entry(void *caller) { (void)caller; }
void __tsan_func_exit(void) {}
void __tsan_vptr_update(void **address, void *value) { (void)address, (void)value; }
void __tsan_vptr_read(void **address) { (void)address; }

/* Atomic operations are one access, a write except for loads. */
#define CUVIER_ATOMIC(bits, type)                                                                               \
    type __tsan_atomic##bits##_load(const volatile type *at, int order)                                         \
    {                                                                                                           \
        (void)order;                                                                                            \
        recorded((void *)at, bits / 8, 0, __builtin_return_address(0));                                         \
        return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                                           \
    }                                                                                                           \
    void __tsan_atomic##bits##_store(volatile type *at, type value, int order)                                  \
    {                                                                                                           \
        (void)order;                                                                                            \
        recorded((void *)at, bits / 8, 1, __builtin_return_address(0));                                         \
        __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                                          \
    }                                                                                                           \
    CUVIER_CHANGE(bits, type, exchange, exchange_n)                                                             \
    CUVIER_CHANGE(bits, type, fetch_add, fetch_add)                                                             \
    CUVIER_CHANGE(bits, type, fetch_sub, fetch_sub)                                                             \
    CUVIER_CHANGE(bits, type, fetch_and, fetch_and)                                                             \
    CUVIER_CHANGE(bits, type, fetch_or, fetch_or)                                                               \
    CUVIER_CHANGE(bits, type, fetch_xor, fetch_xor)                                                             \
    CUVIER_CHANGE(bits, type, fetch_nand, fetch_nand)                                                           \
    CUVIER_COMPARE(bits, type, strong)                                                                          \
    CUVIER_COMPARE(bits, type, weak)

#define CUVIER_CHANGE(bits, type, name, builtin)                                                                \
    type __tsan_atomic##bits##_##name(volatile type *at, type value, int order)                                 \
    {                                                                                                           \
        (void)order;                                                                                            \
        recorded((void *)at, bits / 8, 1, __builtin_return_address(0));                                         \
        return __atomic_##builtin(at, value, __ATOMIC_SEQ_CST);                                                 \
    }

#define CUVIER_COMPARE(bits, type, name)                                                                        \
    int __tsan_atomic##bits##_compare_exchange_##name(volatile type *at, type *expected, type value, int order, \
                                                      int failing)                                              \
    {                                                                                                           \
        (void)order, (void)failing;                                                                             \
        recorded((void *)at, bits / 8, 1, __builtin_return_address(0));                                         \
        return __atomic_compare_exchange_n(at, expected, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);         \
    }

CUVIER_ATOMIC(8, unsigned char)
CUVIER_ATOMIC(16, unsigned short)
CUVIER_ATOMIC(32, unsigned)
CUVIER_ATOMIC(64, unsigned long long)

void __tsan_atomic_thread_fence(int order) { (void)order; }
void __tsan_atomic_signal_fence(int order) { (void)order; }

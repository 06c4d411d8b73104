/* Records the state of arrays and scalars after each kernel of a program, so that `cuvier verify` can
 * compare two programs.  The calls are put into the program's text; where CUVIER_WATCH_FILE names a file,
 * everything recorded is written there when the program ends. */
#ifndef CUVIER_WATCH_H
#define CUVIER_WATCH_H

#include <stddef.h>

/* The kernel `site` has been executed once more: are the calls for it, which follow, to be made?  What runs
 * often, or holds much, is recorded in a sample of its executions, which is the same in every run. */
int cuvier_watch_due(const char *site);

/* The kernel `site` begins: OpenMP's threads share it if this execution is to be recorded, and else one thread
 * does it all, which costs a short kernel that runs often much less.  cuvier_watch_due ends this. */
void cuvier_watch_threads(const char *site);

/* Such a kernel begins, and what it leaves may differ by rounding: because mathematical functions do (1), or
 * because sums are computed in another order (2).  perturb.c makes them differ; in other programs this does
 * nothing.  4: sums differ everywhere, from here on. */
void cuvier_watch_enter(int what);

/* A loop that adds up begins (1) or has ended (0): the rest of the kernel does not round otherwise. */
void cuvier_watch_sums(int on);

/* What an element is: 'f' float, 'd' double, 'l' long double, 'F' 'D' 'L' their complex forms,
 * 'i' signed and 'u' unsigned integers, 'p' addresses (which differ in every run: their values are not
 * recorded), 'b' any other bytes. */

/* Record `bytes` at `data`: the state of `name` after one execution of the kernel `site`.  `rank` more
 * arguments of type size_t are the lengths of the array's dimensions but the first. */
void cuvier_watch_object(const char *site, const char *name, int kind, size_t element, const void *data,
                         size_t bytes, int rank, ...);

/* The same for a pointer: the whole memory block that it points into, or, where no such block is known,
 * `bytes` from it on; with `bytes` 0 as well nothing but the execution is recorded. */
void cuvier_watch_pointer(const char *site, const char *name, int kind, size_t element, const void *data,
                          size_t bytes, int rank, ...);

/* The same for an array of pointers to rows: `bytes` is the size of the array of pointers where that is no
 * known block.  Rows that lie in no known block are left out. */
void cuvier_watch_rows(const char *site, const char *name, int kind, size_t element, const void *rows,
                       size_t bytes);

/* From now on, values may differ by rounding: a kernel has combined values of this kind in another order
 * (nothing happens where the kind is an integer). */
void cuvier_watch_rounding(int kind);

/* In each element that the thread's next call records there are `count` places with addresses, which are left
 * out: their offsets and sizes follow, two arguments of type size_t each.  An element of nothing but addresses
 * is recorded as one. */
void cuvier_watch_addresses(int count, ...);

/* In each element that the thread's next call records, which is no number itself, there are `count` places with
 * floating-point numbers: their offsets, sizes and kinds follow, of types size_t, size_t and int each. */
void cuvier_watch_floats(int count, ...);

/* Make a global object known as a memory block, and record its state when the program ends. */
void cuvier_watch_global(const char *name, int kind, size_t element, const void *data, size_t bytes, int rank,
                         ...);

/* Provided by guard.c or by locate_asan.c: the memory block around `inside`; 0 where there is none. */
int cuvier_block_find(const void *inside, const char **start, size_t *bytes);
/* Give that block a name for messages, and check the guards around it. */
void cuvier_block_check(const void *inside, const char *site, const char *name);
/* Check the guards of all blocks; calls `report` for each finding so far.  Returns their number. */
int cuvier_block_findings(void (*report)(const char *message, void *context), void *context);

#define CUVIER_IS_ADDRESS(x) (__builtin_classify_type(x) == 5 && sizeof(x) == sizeof(void *))
#define CUVIER_KIND(x) (CUVIER_IS_ADDRESS(x) ? 'p' : CUVIER_VALUE_KIND(x))
#define CUVIER_VALUE_KIND(x)                                                                                     \
    _Generic((x),                                                                                                \
        float: 'f',                                                                                              \
        double: 'd',                                                                                             \
        long double: 'l',                                                                                        \
        float _Complex: 'F',                                                                                     \
        double _Complex: 'D',                                                                                    \
        long double _Complex: 'L',                                                                               \
        signed char: 'i',                                                                                        \
        short: 'i',                                                                                              \
        int: 'i',                                                                                                \
        long: 'i',                                                                                               \
        long long: 'i',                                                                                          \
        _Bool: 'u',                                                                                              \
        char: 'u',                                                                                               \
        unsigned char: 'u',                                                                                      \
        unsigned short: 'u',                                                                                     \
        unsigned: 'u',                                                                                           \
        unsigned long: 'u',                                                                                      \
        unsigned long long: 'u',                                                                                 \
        default: 'b')
/* Are the rows of `x` pointers, and not the parts of one array? */
#define CUVIER_HAS_ROWS(x) __builtin_types_compatible_p(__typeof__(&(x)[0][0]), __typeof__((x)[0]))
#define CUVIER_WATCH_SCALAR(site, name, x)                                                                       \
    do {                                                                                                         \
        __typeof__(x) cuvier_value = (x);                                                                        \
        cuvier_watch_object(site, name, CUVIER_KIND(cuvier_value), sizeof cuvier_value, &cuvier_value,           \
                            sizeof cuvier_value, 0);                                                             \
    } while (0)

#endif

/* CGCM: run-time management of data for a device that has memory of its own.
 *
 * An allocation unit is host memory that was allocated as one piece: a block of malloc, a global variable, a local one.  Mapping
 * any pointer into a unit copies the whole unit to the device, once, so that all pointer arithmetic that is valid on the host is
 * valid there, and pointers into the same unit still lead to the same memory.  (Jablin et al., "Automatic CPU-GPU communication
 * management and optimization", PLDI 2011.)
 *
 *     cgcm_address d = cgcm_map(h);         before a kernel: h as the device knows it
 *     kernel<<<...>>>((double *)d);
 *     cgcm_launched("kernel");              after every launch
 *     cgcm_unmap(h);                        the host has what kernels wrote
 *     cgcm_release(h);                      the device's copy is not needed any more
 *
 * While a unit is mapped the device's copy counts: the host reads what it held at the last map or unmap, and what the host
 * writes is not seen by kernels before cgcm_update.  Every map needs its release; a null pointer is its own copy.
 *
 * All functions may be called by any thread; each of them is one step for the others.  An error calls the handler
 * of cgcm_on_error with everything as it was before the call; without a handler it is printed, and the program ends
 * with status 1.  CGCM_CHECK=1 in the environment: it is an error if the host has written to a mapped unit where that would
 * be lost.  CGCM_DEVICE_BYTES=N: no more of the device's memory is used than that.
 *
 * Names of units and kernels are kept, not copied. */
#ifndef CGCM_H
#define CGCM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A place on the device: for CUDA and for host memory an address, for OpenCL an offset into cgcm_opencl_arena().  0 is none. */
typedef uint64_t cgcm_address;

/* The device's copy of what `ptr` points to; its unit is copied there unless it is mapped already. */
cgcm_address cgcm_map(const void *ptr);
/* Copies the unit back, if a kernel was launched since it was last equal on both sides and it is not read-only. */
void cgcm_unmap(const void *ptr);
/* Takes one map back.  After the last one, the device's copy is gone, and what kernels wrote to it, unless it was unmapped. */
void cgcm_release(const void *ptr);
/* The host has written to a unit: if it is mapped, the device gets the host's values.  It is an error if kernels may have
 * written to it since the last cgcm_unmap. */
void cgcm_update(const void *ptr);

/* The same for units that consist of pointers: their targets are mapped, and the device gets an array of cgcm_address, one for
 * each pointer.  The array itself never comes back; a later cgcm_map_array takes notice of pointers that the host has changed. */
cgcm_address cgcm_map_array(const void *ptr);
void cgcm_unmap_array(const void *ptr);
void cgcm_release_array(const void *ptr);

/* The unit that `ptr` leads into: its first byte, and how many it has.  0, and nothing else, if there is none. */
int cgcm_extent(const void *ptr, const void **base, size_t *bytes);

/* Memory of the device that no unit has, for data that the caller copies; `name` is what errors call it. */
cgcm_address cgcm_reserve(const char *name, size_t bytes);
void cgcm_give_back(const char *name, cgcm_address at, size_t bytes);

/* A kernel was launched that uses mapped units. */
void cgcm_launched(const char *kernel);

/* Units.  One that is read-only is not written by kernels.  Declaring the same unit again does nothing. */
void cgcm_declare_global(const char *name, const void *base, size_t bytes, int is_read_only);
/* Any other memory, until cgcm_forget: parts of a pool, what a library has allocated. */
void cgcm_declare(const char *name, const void *base, size_t bytes, int is_read_only);
void cgcm_forget(const void *base);
/* A global variable has a twin on the device (cudaGetSymbolAddress says where), which is used instead of new memory. */
void cgcm_place_global(const void *base, cgcm_address at);

/* Local variables expire at the end of their scope.  Closing a scope closes those that were opened in it by the same thread. */
typedef unsigned long cgcm_scope;
cgcm_scope cgcm_open_scope(void);
void cgcm_declare_alloca(const char *name, const void *base, size_t bytes);
void cgcm_close_scope(cgcm_scope scope);
#ifdef __GNUC__
static inline void cgcm_scope_ends(const cgcm_scope *scope)
{
    cgcm_close_scope(*scope);
}
/* A scope that the end of the block closes, however it is left (but not by longjmp). */
#define CGCM_SCOPE __attribute__((__cleanup__(cgcm_scope_ends), __unused__)) const cgcm_scope cgcm_this_scope = cgcm_open_scope()
#endif

/* The heap: `name` is that of the unit.  With CGCM_WRAP defined before this header is included, malloc and its like are
 * these; programs that are linked with cgcm_wrap.c need no header (see there). */
void *cgcm_malloc(const char *name, size_t bytes);
void *cgcm_calloc(const char *name, size_t count, size_t size);
void *cgcm_realloc(const char *name, void *block, size_t bytes);
void *cgcm_aligned_alloc(const char *name, size_t alignment, size_t bytes);
int cgcm_posix_memalign(const char *name, void **block, size_t alignment, size_t bytes);
void cgcm_free(void *block);

/* For others that wrap malloc, as cgcm_wrap.c does: a block that they have allocated, which cgcm_forget ends; and whether it is the
 * library itself that allocates. */
void cgcm_note(const char *name, const void *block, size_t bytes);
int cgcm_is_inside(void);

/* What can go wrong.  After CGCM_DEVICE_FAILED, and what CGCM_CHECK=1 finds, nothing is certain about mapped units. */
typedef enum {
    CGCM_UNKNOWN_POINTER, /* it leads to no unit */
    CGCM_NOT_MAPPED,
    CGCM_STILL_MAPPED, /* memory ends, or changes its place, while the device has a copy */
    CGCM_OVERLAP,      /* memory of one unit is declared as a part of another */
    CGCM_MIXED_UNIT,   /* not all of a unit's contents are pointers to units */
    CGCM_STALE,        /* one side has written what the other side's copy would undo */
    CGCM_NO_DEVICE_MEMORY,
    CGCM_NO_HOST_MEMORY,
    CGCM_DEVICE_FAILED
} cgcm_error;

/* The handler must not return: it ends the program, or jumps. */
void cgcm_on_error(void (*handler)(cgcm_error error, const char *message));

/* What has been done.  CUVIER_COUNTERS=FILE in the environment: per unit and kernel, as JSON, when the program ends. */
typedef struct {
    unsigned long copies_in, bytes_in, copies_out, bytes_out, launches, waits;
    unsigned long units, mapped, device_bytes; /* now */
} cgcm_totals;
cgcm_totals cgcm_total(void);
/* Each copy goes to the handler instead ("in" or "out"), and launches are not counted by name; it must not call the library. */
void cgcm_on_copy(void (*handler)(const char *unit, const char *direction, size_t bytes));

/* A kind of device.  Functions return NULL, or what went wrong.  `allocate` leaves 0 in `at` where no memory is left. */
typedef struct {
    const char *name;
    const char *(*allocate)(size_t bytes, cgcm_address *at);
    const char *(*release)(cgcm_address at, size_t bytes);
    const char *(*copy_in)(cgcm_address to, const void *from, size_t bytes);
    const char *(*copy_out)(void *to, cgcm_address from, size_t bytes);
    const char *(*finish)(void); /* waits for all kernels */
} cgcm_device;

/* To be called before anything is mapped; cgcm_use_host() and cgcm_use_cuda() do, and cgcm_use_opencl of cgcm_opencl.h. */
void cgcm_use(const cgcm_device *device);
/* The "device" is other memory of the host: for tests, and where there is nothing else. */
void cgcm_use_host(void);
/* The CUDA device that is current. */
void cgcm_use_cuda(void);

#define CGCM_TEXT_(text) #text
#define CGCM_TEXT(text) CGCM_TEXT_(text)
#define CGCM_HERE __FILE__ ":" CGCM_TEXT(__LINE__)

#ifdef __cplusplus
}
#endif

#ifdef CGCM_WRAP
#include <stdlib.h> /* before its names are macros */
#define malloc(bytes) cgcm_malloc(CGCM_HERE, bytes)
#define calloc(count, size) cgcm_calloc(CGCM_HERE, count, size)
#define realloc(block, bytes) cgcm_realloc(CGCM_HERE, block, bytes)
#define aligned_alloc(alignment, bytes) cgcm_aligned_alloc(CGCM_HERE, alignment, bytes)
#define posix_memalign(block, alignment, bytes) cgcm_posix_memalign(CGCM_HERE, block, alignment, bytes)
#define free(block) cgcm_free(block)
#endif

#endif

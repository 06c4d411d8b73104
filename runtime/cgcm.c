/* CGCM: see cgcm.h.  Public functions take the lock, do their work by functions that return 0 where something is wrong, and
 * either leave the lock or raise the error. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "cgcm.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cgcm_counters.h"
#include "cgcm_units.h"

static pthread_mutex_t cgcm_lock = PTHREAD_MUTEX_INITIALIZER;
static __thread int cgcm_inside; /* does this thread execute the library? */

static struct {
    cgcm_unit *root, *newest; /* all units; the newest local variable */
    cgcm_unit *spare;         /* one that may be used where no memory is left */
    const cgcm_device *device;
    unsigned long epoch, serial, used, limit; /* bytes of the device that are in use, and may be */
    int is_running, is_checking; /* kernels that nobody has waited for; the host's writes */
    void (*handler)(cgcm_error error, const char *message);
    cgcm_error error;
    char message[2048];
} cgcm_all;

int cgcm_is_inside(void)
{
    return cgcm_inside;
}

static void cgcm_enter(void)
{
    pthread_mutex_lock(&cgcm_lock);
    cgcm_inside = 1;
}

/* Ends a step; raises its error if it did not succeed. */
static void cgcm_leave(int succeeded)
{
    static __thread char message[sizeof cgcm_all.message]; /* another thread may have the next error */
    void (*const handler)(cgcm_error, const char *) = cgcm_all.handler;
    const cgcm_error error = cgcm_all.error;
    if (!succeeded)
        memcpy(message, cgcm_all.message, sizeof message);
    cgcm_inside = 0;
    pthread_mutex_unlock(&cgcm_lock);
    if (succeeded)
        return;
    if (handler != NULL) {
        handler(error, message);
        abort(); /* it must not return */
    }
    fprintf(stderr, "cgcm: %s\n", message);
    exit(1);
}

/* Notes what is wrong; 0. */
__attribute__((__format__(printf, 2, 3))) static int cgcm_wrong(cgcm_error error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(cgcm_all.message, sizeof cgcm_all.message, format, arguments);
    va_end(arguments);
    cgcm_all.error = error;
    return 0;
}

static int cgcm_device_did(const char *complaint, const char *what, const char *name)
{
    return complaint == NULL || cgcm_wrong(CGCM_DEVICE_FAILED, "%s: %s: %s", name, what, complaint);
}

static cgcm_unit *cgcm_known(const void *pointer)
{
    cgcm_unit *unit = cgcm_unit_of(cgcm_all.root, pointer);
    if (unit == NULL)
        cgcm_wrong(CGCM_UNKNOWN_POINTER,
                   "%p leads to no allocation unit: declare its memory with cgcm_declare (cgcm_declare_global, cgcm_declare_alloca), "
                   "or have it allocated by cgcm_malloc", pointer);
    return unit;
}

/* The device's memory. */
static void cgcm_list_mapped(const cgcm_unit *tree, char *text, size_t room, unsigned long *listed)
{
    if (tree == NULL)
        return;
    cgcm_list_mapped(tree->left, text, room, listed);
    if (cgcm_is_mapped(tree) && ++*listed <= 8) {
        const size_t length = strlen(text);
        snprintf(text + length, room - length, "%s%.80s (%zu bytes, %lu times)", *listed > 1 ? ", " : "", tree->name, tree->size,
                 tree->data.count + tree->table.count);
    }
    cgcm_list_mapped(tree->right, text, room, listed);
}

static int cgcm_is_exhausted(const cgcm_unit *unit, size_t bytes)
{
    char list[1200] = "", others[40] = "";
    unsigned long listed = 0;
    cgcm_list_mapped(cgcm_all.root, list, sizeof list, &listed);
    if (listed > 8)
        snprintf(others, sizeof others, ", and %lu others", listed - 8);
    return cgcm_wrong(CGCM_NO_DEVICE_MEMORY,
                      "the device has no memory left for %s, %zu bytes; %lu bytes are in use, mapped are %s%s: "
                      "release what is not needed, or work on parts", unit->name, bytes, cgcm_all.used, listed ? list : "no units", others);
}

/* Memory for a unit; 0 where there is none. */
static cgcm_address cgcm_allocated(const cgcm_unit *unit, size_t bytes)
{
    cgcm_address at = 0;
    if (cgcm_all.device == NULL) {
        cgcm_wrong(CGCM_DEVICE_FAILED, "there is no device yet: call cgcm_use_host, cgcm_use_cuda or cgcm_use_opencl first");
        return 0;
    }
    bytes = bytes ? bytes : 1;
    if (bytes <= cgcm_all.limit - cgcm_all.used
        && !cgcm_device_did(cgcm_all.device->allocate(bytes, &at), "allocation", unit->name))
        return 0;
    if (at == 0)
        return (cgcm_address)cgcm_is_exhausted(unit, bytes);
    cgcm_all.used += bytes;
    return at;
}

static int cgcm_deallocate(const cgcm_unit *unit, cgcm_address at, size_t bytes)
{
    bytes = bytes ? bytes : 1;
    cgcm_all.used -= bytes;
    return cgcm_device_did(cgcm_all.device->release(at, bytes), "release of memory", unit->name);
}

static int cgcm_wait(const cgcm_unit *unit)
{
    if (!cgcm_all.is_running)
        return 1;
    cgcm_all.is_running = 0;
    cgcm_counted.totals.waits++;
    return cgcm_device_did(cgcm_all.device->finish(), "waiting for kernels", unit->name);
}

/* Has the host written to a unit that is mapped?  (Only where CGCM_CHECK=1 asks for it.) */
static uint64_t cgcm_sum(const cgcm_unit *unit)
{
    const unsigned char *bytes = (const unsigned char *)unit->base;
    uint64_t sum = UINT64_C(14695981039346656037);
    for (size_t k = 0; cgcm_all.is_checking && k < unit->size; k++)
        sum = (sum ^ bytes[k]) * UINT64_C(1099511628211);
    return sum;
}

static int cgcm_is_untouched(const cgcm_unit *unit, const char *loss)
{
    return !cgcm_all.is_checking || unit->data.count == 0 || cgcm_sum(unit) == unit->sum
        || cgcm_wrong(CGCM_STALE, "the host has written to %s while it is mapped, and %s: "
                      "unmap it before, and call cgcm_update after, the host writes", unit->name, loss);
}

static int cgcm_all_untouched(const cgcm_unit *tree)
{
    return tree == NULL || (cgcm_all_untouched(tree->left) && cgcm_is_untouched(tree, "the kernel does not see it")
                            && cgcm_all_untouched(tree->right));
}

/* The contents of a unit. */
static int cgcm_fill(cgcm_unit *unit)
{
    const char *const complaint = cgcm_all.device->copy_in(unit->data.at, (const void *)unit->base, unit->size);
    if (!cgcm_device_did(complaint, "copy to the device", unit->name))
        return 0;
    cgcm_count_in(unit->name, unit->size);
    unit->epoch = cgcm_all.epoch;
    unit->sum = cgcm_sum(unit);
    return 1;
}

static int cgcm_map_data(cgcm_unit *unit)
{
    if (unit->data.count == 0) {
        unit->data.at = unit->twin ? unit->twin : cgcm_allocated(unit, unit->size);
        if (unit->data.at == 0 || (unit->twin && !cgcm_wait(unit)) || !cgcm_fill(unit))
            return 0;
    }
    unit->data.count++;
    return 1;
}

static int cgcm_is_current(const cgcm_unit *unit)
{
    return unit->is_read_only || unit->epoch == cgcm_all.epoch;
}

/* Is nothing of the host's lost where the unit comes back? */
static int cgcm_may_return(const cgcm_unit *unit)
{
    return cgcm_is_current(unit) || cgcm_is_untouched(unit, "unmapping would undo it");
}

static int cgcm_unmap_data(cgcm_unit *unit)
{
    if (unit->data.count == 0)
        return cgcm_wrong(CGCM_NOT_MAPPED, "%s is to be unmapped and is not mapped: map it before the kernel, and release it last",
                          unit->name);
    if (cgcm_is_current(unit))
        return 1;
    if (!cgcm_may_return(unit) || !cgcm_wait(unit)
        || !cgcm_device_did(cgcm_all.device->copy_out((void *)unit->base, unit->data.at, unit->size), "copy to the host", unit->name))
        return 0;
    cgcm_count_out(unit->name, unit->size);
    unit->epoch = cgcm_all.epoch;
    unit->sum = cgcm_sum(unit);
    return 1;
}

static int cgcm_release_data(cgcm_unit *unit)
{
    if (unit->data.count == 0)
        return cgcm_wrong(CGCM_NOT_MAPPED, "%s is released more often than it was mapped", unit->name);
    if (--unit->data.count > 0 || unit->twin)
        return 1;
    return cgcm_wait(unit) && cgcm_deallocate(unit, unit->data.at, unit->size);
}

#include "cgcm_tables.h"

/* What programs call. */
static int cgcm_update_data(cgcm_unit *unit)
{
    if (unit->data.count == 0)
        return 1;
    if (!cgcm_is_current(unit))
        return cgcm_wrong(CGCM_STALE, "kernels may have written to %s, which cgcm_update would undo: "
                          "unmap it before the host writes", unit->name);
    return cgcm_wait(unit) && cgcm_fill(unit);
}

static cgcm_address cgcm_do(const void *pointer, int (*work)(cgcm_unit *unit))
{
    cgcm_address at = 0;
    if (pointer == NULL)
        return 0;
    cgcm_enter();
    cgcm_unit *unit = cgcm_known(pointer);
    const int done = unit != NULL && work(unit);
    if (done)
        at = unit->data.at + ((uintptr_t)pointer - unit->base);
    cgcm_leave(done);
    return at;
}

cgcm_address cgcm_map(const void *ptr)
{
    return cgcm_do(ptr, cgcm_map_data);
}

void cgcm_unmap(const void *ptr)
{
    cgcm_do(ptr, cgcm_unmap_data);
}

static int cgcm_release_own(cgcm_unit *unit)
{
    return (unit->data.count == 0 || unit->data.count > unit->held
            || cgcm_wrong(CGCM_NOT_MAPPED, "%s is released more often than it was mapped: what is left belongs to arrays of pointers",
                          unit->name))
        && cgcm_release_data(unit);
}

void cgcm_release(const void *ptr)
{
    cgcm_do(ptr, cgcm_release_own);
}

void cgcm_update(const void *ptr)
{
    cgcm_do(ptr, cgcm_update_data);
}

cgcm_address cgcm_map_array(const void *ptr)
{
    cgcm_address at = 0;
    if (ptr == NULL)
        return 0;
    cgcm_enter();
    cgcm_unit *unit = cgcm_known(ptr);
    const size_t offset = unit ? (uintptr_t)ptr - unit->base : 0;
    int done = unit != NULL;
    if (done && offset % sizeof(void *))
        done = cgcm_wrong(CGCM_MIXED_UNIT, "%p is inside of a pointer of %s", ptr, unit->name);
    done = done && cgcm_map_table(unit);
    if (done)
        at = unit->table.at + offset / sizeof(void *) * sizeof(cgcm_address);
    cgcm_leave(done);
    return at;
}

void cgcm_unmap_array(const void *ptr)
{
    cgcm_do(ptr, cgcm_unmap_table);
}

void cgcm_release_array(const void *ptr)
{
    cgcm_do(ptr, cgcm_release_table);
}

cgcm_address cgcm_reserve(const char *name, size_t bytes)
{
    const cgcm_unit unit = {.name = name};
    cgcm_enter();
    const cgcm_address at = cgcm_allocated(&unit, bytes);
    cgcm_leave(at != 0);
    return at;
}

void cgcm_give_back(const char *name, cgcm_address at, size_t bytes)
{
    const cgcm_unit unit = {.name = name};
    cgcm_enter();
    cgcm_leave(cgcm_deallocate(&unit, at, bytes));
}

void cgcm_launched(const char *kernel)
{
    cgcm_enter();
    const int done = !cgcm_all.is_checking || cgcm_all_untouched(cgcm_all.root);
    if (done) {
        cgcm_all.epoch++;
        cgcm_all.is_running = 1;
        cgcm_counted.totals.launches++;
        cgcm_count_one(&cgcm_counted.launches, kernel, "", 0);
    }
    cgcm_leave(done);
}

int cgcm_extent(const void *ptr, const void **base, size_t *bytes)
{
    cgcm_enter();
    const cgcm_unit *unit = ptr ? cgcm_unit_of(cgcm_all.root, ptr) : NULL;
    if (unit != NULL) {
        *base = (const void *)unit->base;
        *bytes = unit->size;
    }
    cgcm_leave(1);
    return unit != NULL;
}

static unsigned long cgcm_number(const cgcm_unit *tree, int mapped)
{
    if (tree == NULL)
        return 0;
    return cgcm_number(tree->left, mapped) + cgcm_number(tree->right, mapped) + (!mapped || cgcm_is_mapped(tree));
}

cgcm_totals cgcm_total(void)
{
    cgcm_enter();
    cgcm_totals totals = cgcm_counted.totals;
    totals.units = cgcm_number(cgcm_all.root, 0);
    totals.mapped = cgcm_number(cgcm_all.root, 1);
    totals.device_bytes = cgcm_all.used;
    cgcm_leave(1);
    return totals;
}

void cgcm_on_copy(void (*handler)(const char *unit, const char *direction, size_t bytes))
{
    cgcm_enter();
    cgcm_counted.handler = handler;
    cgcm_leave(1);
}

void cgcm_on_error(void (*handler)(cgcm_error error, const char *message))
{
    cgcm_enter();
    cgcm_all.handler = handler;
    cgcm_leave(1);
}

void cgcm_use(const cgcm_device *device)
{
    const char *limit = getenv("CGCM_DEVICE_BYTES"), *check = getenv("CGCM_CHECK");
    cgcm_enter();
    cgcm_all.limit = limit ? strtoul(limit, NULL, 10) : (unsigned long)-1;
    cgcm_all.is_checking = check != NULL && strcmp(check, "0") != 0;
    const int done = cgcm_all.device == NULL || cgcm_all.device == device || cgcm_all.used == 0
        || cgcm_wrong(CGCM_STILL_MAPPED, "another device is chosen while units are mapped on the %s device", cgcm_all.device->name);
    if (done)
        cgcm_all.device = device;
    cgcm_leave(done);
}

#include "cgcm_memory.h"

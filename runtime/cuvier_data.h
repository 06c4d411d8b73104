/* Which cells of the host's arrays have a place on a device, and where their values are.
 *
 * A unit is a stretch of host memory with a buffer of its size on a device.  The bytes that are `here` have on the device
 * the value that they should have; those that are `late` have it there, and the host's are out of date.  Functions that
 * launch kernels map what these touch, so that only what is not here yet is copied, and say what they wrote; before
 * host code touches such memory, it asks for it (cuvier_host_reads and the others below).  Every thread has units of its own.
 *
 * Compiled with CUVIER_DEVICES (0: all that there are), a program has several devices, with units of their own: kernels run on
 * the one with the number `cuvier_at`.  No byte is late on two of them: what one needs and another one has late goes from
 * there to here, and what one writes is neither here nor late on the others.
 *
 * CUVIER_COUNTERS=FILE in the environment: what was copied, launched and waited for is written to FILE when the program ends,
 * as JSON.  CUVIER_TIMES=FILE: the seconds of every launch on the device, as JSON by kernel; every launch is waited for then.
 * Compiled with CUVIER_POISON, memory that must not be looked at is full of 0xA5. */
#ifndef CUVIER_DATA_H
#define CUVIER_DATA_H

#ifndef CUVIER_DEVICES
#define CUVIER_DEVICES 1
#endif
enum { CUVIER_SEVERAL = CUVIER_DEVICES != 1, CUVIER_MOST = CUVIER_DEVICES ? CUVIER_DEVICES : 64 };

/* The device's part: buffers, and bytes that move.  A buffer that `stays` is the host's own memory, and has no `room` for more; one
 * that is `found` is reached by places that kernels read.  Where there is no memory for it, `stays` becomes CUVIER_FULL. */
enum { CUVIER_FULL = -1 };
CUVIER_FUNCTION cuvier_buffer cuvier_device_alloc(const char *kernel, const char *what, char *host, size_t bytes, size_t room, int is_found, int *stays);
CUVIER_FUNCTION void cuvier_device_free(const char *kernel, const char *what, cuvier_buffer buffer);
CUVIER_FUNCTION void cuvier_device_write(const char *kernel, const char *what, cuvier_buffer buffer, size_t at, const char *from, size_t bytes);
CUVIER_FUNCTION void cuvier_device_read(const char *kernel, const char *what, cuvier_buffer buffer, size_t at, char *to, size_t bytes);
/* Begins to show the host what a device has written to its memory; all of it is there when the device is at rest. */
CUVIER_FUNCTION void cuvier_device_show(const char *kernel, const char *what, cuvier_buffer buffer, size_t at, size_t bytes);
CUVIER_FUNCTION void cuvier_device_move(const char *kernel, const char *what, cuvier_buffer to, size_t to_at, cuvier_buffer from, size_t from_at, size_t bytes);
CUVIER_FUNCTION void cuvier_device_wait(const char *kernel);
CUVIER_FUNCTION void cuvier_device_settle(const char *kernel); /* the writes that were begun have read their memory */
/* Begins to read, if it can (else 0); all that was begun has arrived. */
CUVIER_FUNCTION int cuvier_device_fetch(const char *kernel, const char *what, cuvier_buffer buffer, size_t at, char *to, size_t bytes);
CUVIER_FUNCTION void cuvier_device_arrive(const char *kernel);

CUVIER_FUNCTION void *cuvier_grown(void *items, size_t bytes)
{
    void *grown = realloc(items, bytes);
    if (grown == NULL) {
        fprintf(stderr, "cuvier: no host memory is left for the list of arrays\n");
        exit(1);
    }
    return grown;
}

/* The number of the device that is spoken of. */
#if CUVIER_DEVICES == 1
#define cuvier_at 0
#else
static __thread int cuvier_at;
#endif

/* Counters: one set for all files of a program. */
typedef struct {
    const char *name, *direction;
    int from, to; /* the numbers of devices; -1: the host */
    unsigned long count, bytes;
} cuvier_count;

typedef struct {
    cuvier_count *items;
    size_t length;
} cuvier_counts;

typedef struct {
    const char *path; /* NULL: nobody asked */
    int is_known;
    cuvier_counts copies, launches;
    cuvier_counts segments; /* of an array: stretches of which one device has the value that counts, behind the last launch */
    unsigned long waits;
} cuvier_counters;

__attribute__((__weak__)) cuvier_counters cuvier_counted;

CUVIER_FUNCTION void cuvier_write_place(FILE *file, const char *which, int device)
{
    if (device < 0)
        fprintf(file, "\"%s\": \"host\", ", which);
    else
        fprintf(file, "\"%s\": %d, ", which, device);
}

CUVIER_FUNCTION void cuvier_write_counters(void)
{
    const cuvier_counters *c = &cuvier_counted;
    FILE *file = fopen(c->path, "w");
    if (file == NULL) {
        fprintf(stderr, "cuvier: CUVIER_COUNTERS=%s: cannot be written\n", c->path);
        return;
    }
    fprintf(file, "{\"copies\": [");
    for (size_t k = 0; k < c->copies.length; k++) {
        const cuvier_count *one = &c->copies.items[k];
        fprintf(file, "%s{\"array\": \"%s\", \"direction\": \"%s\", ", k ? ", " : "", one->name, one->direction);
        if (CUVIER_SEVERAL) {
            cuvier_write_place(file, "from", one->from);
            cuvier_write_place(file, "to", one->to);
        }
        fprintf(file, "\"count\": %lu, \"bytes\": %lu}", one->count, one->bytes);
    }
    fprintf(file, "], \"launches\": {");
    for (size_t k = 0; k < c->launches.length; k++)
        fprintf(file, "%s\"%s\": %lu", k ? ", " : "", c->launches.items[k].name, c->launches.items[k].count);
    fprintf(file, "}, ");
    for (size_t k = 0; k < c->segments.length; k++)
        fprintf(file, "%s\"%s\": %lu%s", k ? ", " : "\"segments\": {", c->segments.items[k].name, c->segments.items[k].count,
                k + 1 == c->segments.length ? "}, " : "");
    fprintf(file, "\"waits\": %lu}\n", c->waits);
    fclose(file);
}

/* Before main: what never launches a kernel says so, too. */
__attribute__((__constructor__)) static void cuvier_begin_counting(void)
{
    if (!cuvier_counted.is_known) {
        cuvier_counted.is_known = 1;
        cuvier_counted.path = getenv("CUVIER_COUNTERS");
        if (cuvier_counted.path)
            atexit(cuvier_write_counters);
    }
}

static inline int cuvier_counting(void)
{
    return cuvier_counted.path != NULL;
}

static inline int cuvier_is_same(const cuvier_count *one, const cuvier_count *other)
{
    return one->from == other->from && one->to == other->to && !strcmp(one->name, other->name) && !strcmp(one->direction, other->direction);
}

CUVIER_FUNCTION void cuvier_count_one(cuvier_counts *counts, cuvier_count one)
{
    size_t k = 0;
    if (!cuvier_counting())
        return;
    while (k < counts->length && !cuvier_is_same(&counts->items[k], &one))
        k++;
    if (k < counts->length) {
        counts->items[k].count += one.count;
        counts->items[k].bytes += one.bytes;
        return;
    }
    counts->items = (cuvier_count *)cuvier_grown(counts->items, (k + 1) * sizeof one);
    counts->items[counts->length++] = one;
}

CUVIER_FUNCTION void cuvier_count_move(const char *name, const char *direction, int from, int to, size_t bytes)
{
    const cuvier_count one = {name, direction, from, to, 1, bytes};
    cuvier_count_one(&cuvier_counted.copies, one);
}

static inline void cuvier_count_in(const char *name, size_t bytes)
{
    cuvier_count_move(name, "in", -1, cuvier_at, bytes);
}

static inline void cuvier_count_out(const char *name, size_t bytes)
{
    cuvier_count_move(name, "out", cuvier_at, -1, bytes);
}

/* Times: one set for all files of a program. */
typedef struct {
    const char *name;
    double *seconds;
    size_t length, room;
} cuvier_time;

typedef struct {
    const char *path; /* NULL: nobody asked */
    int is_known;
    cuvier_time *items;
    size_t length;
} cuvier_times;

__attribute__((__weak__)) cuvier_times cuvier_timed;

CUVIER_FUNCTION void cuvier_write_times(void)
{
    const cuvier_times *all = &cuvier_timed;
    FILE *file = fopen(all->path, "w");
    if (file == NULL) {
        fprintf(stderr, "cuvier: CUVIER_TIMES=%s: cannot be written\n", all->path);
        return;
    }
    fprintf(file, "{");
    for (size_t k = 0; k < all->length; k++) {
        fprintf(file, "%s\"%s\": [", k ? ", " : "", all->items[k].name);
        for (size_t at = 0; at < all->items[k].length; at++)
            fprintf(file, "%s%.9g", at ? ", " : "", all->items[k].seconds[at]);
        fprintf(file, "]");
    }
    fprintf(file, "}\n");
    fclose(file);
}

__attribute__((__constructor__)) static void cuvier_begin_timing(void)
{
    if (!cuvier_timed.is_known) {
        cuvier_timed.is_known = 1;
        cuvier_timed.path = getenv("CUVIER_TIMES");
        if (cuvier_timed.path)
            atexit(cuvier_write_times);
    }
}

/* Is the launch that is due to be timed, without waiting for it?  See `cuvier_device_took`. */
static __thread int cuvier_keeps_time;

static inline int cuvier_timing(void)
{
    return cuvier_timed.path != NULL;
}

CUVIER_FUNCTION void cuvier_add_time(const char *kernel, double seconds)
{
    cuvier_times *all = &cuvier_timed;
    size_t k = 0;
    while (k < all->length && strcmp(all->items[k].name, kernel))
        k++;
    if (k == all->length) {
        all->items = (cuvier_time *)cuvier_grown(all->items, (k + 1) * sizeof *all->items);
        const cuvier_time none = {kernel, NULL, 0, 0};
        all->items[all->length++] = none;
    }
    cuvier_time *own = &all->items[k];
    if (own->length == own->room) {
        own->room = 2 * own->room + 16;
        own->seconds = (double *)cuvier_grown(own->seconds, own->room * sizeof *own->seconds);
    }
    own->seconds[own->length++] = seconds;
}

/* Sets of bytes: stretches in their order, apart from each other. */
typedef struct {
    char *begin, *end;
} cuvier_stretch;

typedef struct {
    cuvier_stretch *items;
    size_t length;
} cuvier_bytes;

/* One more; whenever there are as many as a power of two, room is made for twice as many. */
CUVIER_FUNCTION void cuvier_put(cuvier_bytes *all, char *begin, char *end)
{
    const cuvier_stretch one = {begin, end};
    if ((all->length & (all->length - 1)) == 0)
        all->items = (cuvier_stretch *)cuvier_grown(all->items, (2 * all->length + 1) * sizeof one);
    all->items[all->length++] = one;
}

/* None of them begins before the last one that is there already. */
CUVIER_FUNCTION void cuvier_append(cuvier_bytes *all, char *begin, char *end)
{
    cuvier_stretch *last = all->length ? &all->items[all->length - 1] : NULL;
    if (begin >= end)
        return;
    if (last && begin <= last->end) {
        last->end = end > last->end ? end : last->end;
        return;
    }
    cuvier_put(all, begin, end);
}

static inline void cuvier_become(cuvier_bytes *all, cuvier_bytes other)
{
    free(all->items);
    *all = other;
}

CUVIER_FUNCTION void cuvier_add_all(cuvier_bytes *all, const cuvier_bytes *more)
{
    cuvier_bytes both = {NULL, 0};
    size_t i = 0, j = 0;
    while (i < all->length || j < more->length) {
        const int is_old = j == more->length || (i < all->length && all->items[i].begin <= more->items[j].begin);
        const cuvier_stretch one = is_old ? all->items[i++] : more->items[j++];
        cuvier_append(&both, one.begin, one.end);
    }
    cuvier_become(all, both);
}

/* The bytes of one set that are in the other, too, or (`apart`) that are not. */
CUVIER_FUNCTION cuvier_bytes cuvier_part(const cuvier_bytes *all, const cuvier_bytes *other, int apart)
{
    cuvier_bytes found = {NULL, 0};
    size_t first = 0;
    for (size_t i = 0; i < all->length; i++) {
        char *at = all->items[i].begin, *const end = all->items[i].end;
        while (first < other->length && other->items[first].end <= at)
            first++;
        for (size_t k = first; k < other->length && other->items[k].begin < end; k++) {
            const cuvier_stretch one = other->items[k];
            if (apart)
                cuvier_append(&found, at, one.begin);
            else
                cuvier_append(&found, one.begin > at ? one.begin : at, one.end < end ? one.end : end);
            at = one.end;
        }
        if (apart)
            cuvier_append(&found, at, end);
    }
    return found;
}

CUVIER_FUNCTION void cuvier_add(cuvier_bytes *all, char *begin, char *end)
{
    cuvier_stretch one = {begin, end};
    const cuvier_bytes more = {&one, begin < end};
    cuvier_add_all(all, &more);
}

CUVIER_FUNCTION int cuvier_meets(const cuvier_bytes *all, char *begin, char *end)
{
    size_t k = 0;
    while (k < all->length && all->items[k].end <= begin)
        k++;
    return begin < end && k < all->length && all->items[k].begin < end;
}

/* How many of the bytes from `begin` on are in the set. */
CUVIER_FUNCTION double cuvier_common(const cuvier_bytes *all, const char *begin, const char *end)
{
    double found = 0;
    for (size_t k = 0; k < all->length && all->items[k].begin < end; k++) {
        const char *const from = all->items[k].begin > begin ? all->items[k].begin : begin;
        const char *const to = all->items[k].end < end ? all->items[k].end : end;
        found += to > from ? (double)(to - from) : 0;
    }
    return found;
}

CUVIER_FUNCTION void cuvier_remove(cuvier_bytes *all, char *begin, char *end)
{
    if (!cuvier_meets(all, begin, end))
        return;
    cuvier_stretch one = {begin, end};
    const cuvier_bytes less = {&one, begin < end};
    cuvier_become(all, cuvier_part(all, &less, 1));
}

/* Units. */
typedef struct {
    const char *name;
    const void *base; /* the address that host code knows its array by; NULL: perhaps several */
    char *begin, *end;
    cuvier_buffer buffer;
    size_t pad, room; /* of the buffer, before the first byte and behind the last; cells are aligned there as they are here */
    int is_found, stays;
    cuvier_bytes here, late;
    cuvier_bytes lent, coming; /* a copy to the device may still be reading them; one from it, writing them */
#if CUVIER_DEVICES != 1
    cuvier_moment written; /* when the bytes that are here have their values */
#endif
} cuvier_unit;

typedef struct {
    cuvier_unit *items; /* in the order of their memory, apart from each other */
    size_t length, room;
    const char *running; /* a kernel that nobody has waited for since */
    unsigned long emptied; /* how often nothing was left on the device */
} cuvier_units;

static __thread cuvier_units cuvier_accounts[CUVIER_MOST];
#define cuvier_all cuvier_accounts[cuvier_at]

/* The number of the first unit that has a byte from `begin` on. */
CUVIER_FUNCTION size_t cuvier_first_unit(const char *begin)
{
    size_t low = 0, high = cuvier_all.length;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (cuvier_all.items[middle].end <= begin)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* What is small is copied from here, so that the host may change it at once. */
enum { CUVIER_SMALL = 4096, CUVIER_SMALLS = 65536 };

typedef struct {
    char *memory;
    size_t used;
} cuvier_smalls;

static __thread cuvier_smalls cuvier_smalls_of[CUVIER_MOST];
#define cuvier_small cuvier_smalls_of[cuvier_at]

static inline void cuvier_count_wait(void)
{
    if (cuvier_counting())
        cuvier_counted.waits++;
}

/* No copy to the device reads these bytes any more. */
CUVIER_FUNCTION void cuvier_settle(const char *kernel, const cuvier_unit *unit, char *begin, char *end)
{
    const cuvier_bytes none = {NULL, 0};
    if (!cuvier_meets(&unit->lent, begin, end))
        return;
    cuvier_device_settle(kernel);
    cuvier_count_wait();
    for (size_t k = 0; k < cuvier_all.length; k++)
        cuvier_become(&cuvier_all.items[k].lent, none);
    cuvier_small.used = 0;
}

/* No copy from the device writes these bytes any more. */
CUVIER_FUNCTION void cuvier_arrive(const char *kernel, const cuvier_unit *unit, char *begin, char *end)
{
    const cuvier_bytes none = {NULL, 0};
    if (!cuvier_meets(&unit->coming, begin, end))
        return;
    cuvier_device_arrive(kernel);
    cuvier_count_wait();
    for (size_t k = 0; k < cuvier_all.length; k++)
        cuvier_become(&cuvier_all.items[k].coming, none);
}

CUVIER_FUNCTION void cuvier_rest(const char *kernel)
{
    cuvier_device_wait(kernel);
    if (cuvier_all.running)
        cuvier_count_wait();
    cuvier_all.running = NULL;
}

CUVIER_FUNCTION void cuvier_wait(const char *kernel)
{
    if (cuvier_all.running)
        cuvier_rest(kernel);
}

/* Another place for the bytes, which are few. */
CUVIER_FUNCTION char *cuvier_small_copy(const char *kernel, const char *from, size_t bytes)
{
    if (cuvier_small.memory == NULL)
        cuvier_small.memory = (char *)cuvier_grown(NULL, CUVIER_SMALLS);
    if (cuvier_small.used + bytes > CUVIER_SMALLS) {
        cuvier_device_settle(kernel);
        cuvier_count_wait();
        cuvier_small.used = 0;
    }
    char *const copy = cuvier_small.memory + cuvier_small.used;
    memcpy(copy, from, bytes);
    cuvier_small.used += bytes;
    return copy;
}

CUVIER_FUNCTION void cuvier_launched(const char *kernel)
{
    cuvier_all.running = kernel;
    const cuvier_count one = {kernel, "", 0, 0, 1, 0};
    cuvier_count_one(&cuvier_counted.launches, one);
}

/* What is left out, to measure what it takes (results are wrong then): copies, and with them the account of where values are. */
enum { CUVIER_NO_COPIES = 1, CUVIER_NO_ACCOUNT = 2 };
#if CUVIER_DEVICES == 1
#define cuvier_left_out 0
#else
static int cuvier_left_out;
static int cuvier_is_single; /* one device owns each byte; copies of it are good for one launch */
#endif

/* The place of a byte in the unit's buffer. */
static inline size_t cuvier_place(const cuvier_unit *unit, const char *at)
{
    return unit->pad + (size_t)(at - unit->begin);
}

/* The copy goes on while the host does; it is told before it writes to the bytes. */
CUVIER_FUNCTION void cuvier_write(const char *kernel, cuvier_unit *unit, char *begin, char *end)
{
    const size_t bytes = (size_t)(end - begin);
    if (cuvier_left_out)
        return;
    const int is_small = bytes <= CUVIER_SMALL;
    const char *const from = is_small ? cuvier_small_copy(kernel, begin, bytes) : begin;
    cuvier_device_write(kernel, unit->name, unit->buffer, cuvier_place(unit, begin), from, bytes);
    if (!is_small)
        cuvier_add(&unit->lent, begin, end);
    cuvier_count_in(unit->name, bytes);
}

/* As many pieces are moved one by one; more of them in one stretch, with what lies between. */
enum { CUVIER_PIECES = 256 };

CUVIER_FUNCTION void cuvier_read(const char *kernel, const cuvier_unit *unit, char *begin, char *to, size_t bytes)
{
    cuvier_wait(kernel);
    if (cuvier_left_out)
        return;
    cuvier_device_read(kernel, unit->name, unit->buffer, cuvier_place(unit, begin), to, bytes);
    cuvier_count_out(unit->name, bytes);
}

/* Copies out what lies in pieces, by way of other memory. */
CUVIER_FUNCTION void cuvier_read_apart(const char *kernel, const cuvier_unit *unit, const cuvier_bytes *pieces)
{
    char *const begin = pieces->items[0].begin, *const end = pieces->items[pieces->length - 1].end;
    char *const all = (char *)cuvier_grown(NULL, (size_t)(end - begin));
    cuvier_read(kernel, unit, begin, all, (size_t)(end - begin));
    for (size_t k = 0; k < pieces->length; k++)
        memcpy(pieces->items[k].begin, all + (pieces->items[k].begin - begin),
               (size_t)(pieces->items[k].end - pieces->items[k].begin));
    free(all);
}

/* No byte of a unit that the host shares with the device is late, once the device is at rest: nothing moves, so that all of it is
 * asked for at once. */
CUVIER_FUNCTION void cuvier_show(const char *kernel, cuvier_unit *unit)
{
    const cuvier_bytes none = {NULL, 0}, *const late = &unit->late;
    char *const begin = late->items[0].begin, *const end = late->items[late->length - 1].end;
    cuvier_device_show(kernel, unit->name, unit->buffer, cuvier_place(unit, begin), (size_t)(end - begin));
    cuvier_become(&unit->late, none);
}

/* Nor is any of another such unit. */
CUVIER_FUNCTION void cuvier_show_all(const char *kernel)
{
    int shown = 0;
    for (size_t k = 0; k < cuvier_all.length; k++)
        if (cuvier_all.items[k].stays && cuvier_all.items[k].late.length > 0) {
            cuvier_show(kernel, &cuvier_all.items[k]);
            shown = 1;
        }
    if (shown)
        cuvier_rest(kernel);
}

/* No byte of the stretch is late. */
CUVIER_FUNCTION void cuvier_return(const char *kernel, cuvier_unit *unit, char *begin, char *end)
{
    cuvier_stretch one = {begin, end};
    const cuvier_bytes wanted = {&one, begin < end};
    cuvier_arrive(kernel, unit, begin, end);
    if (!cuvier_meets(&unit->late, begin, end))
        return;
    if (unit->stays) {
        cuvier_show(kernel, unit);
        cuvier_rest(kernel);
        return;
    }
    cuvier_bytes pieces = cuvier_part(&unit->late, &wanted, 0);
    if (pieces.length > CUVIER_PIECES)
        cuvier_read_apart(kernel, unit, &pieces);
    else
        for (size_t k = 0; k < pieces.length; k++)
            cuvier_read(kernel, unit, pieces.items[k].begin, pieces.items[k].begin,
                        (size_t)(pieces.items[k].end - pieces.items[k].begin));
    free(pieces.items);
    cuvier_remove(&unit->late, begin, end);
}

/* No byte of the stretch is going to be late: copies begin, where they are few. */
CUVIER_FUNCTION void cuvier_begin_return(const char *kernel, cuvier_unit *unit, char *begin, char *end)
{
    cuvier_stretch one = {begin, end};
    const cuvier_bytes wanted = {&one, begin < end};
    cuvier_bytes pieces = cuvier_part(&unit->late, &wanted, 0);
    for (size_t k = 0; k < pieces.length && pieces.length <= CUVIER_PIECES && !unit->stays; k++) {
        char *const from = pieces.items[k].begin, *const to = pieces.items[k].end;
        if (!cuvier_device_fetch(kernel, unit->name, unit->buffer, cuvier_place(unit, from), from, (size_t)(to - from)))
            break;
        cuvier_count_out(unit->name, (size_t)(to - from));
        cuvier_add(&unit->coming, from, to);
        cuvier_remove(&unit->late, from, to);
    }
    free(pieces.items);
}

#if CUVIER_DEVICES != 1
#include "cuvier_devices.h"
#endif

CUVIER_FUNCTION void cuvier_host_reads(const void *first, size_t bytes);

/* All these bytes are here. */
CUVIER_FUNCTION void cuvier_bring(const char *kernel, cuvier_unit *unit, const cuvier_bytes *wanted)
{
    if (unit->stays || wanted->length == 0 || cuvier_left_out == CUVIER_NO_ACCOUNT)
        return;
#if CUVIER_DEVICES != 1
    if (cuvier_is_single)
        cuvier_disown(unit);
#endif
    cuvier_bytes missing = cuvier_part(wanted, &unit->here, 1);
    if (missing.length > CUVIER_PIECES) {
        missing.items[0].end = missing.items[missing.length - 1].end;
        missing.length = 1;
        cuvier_host_reads(missing.items[0].begin, (size_t)(missing.items[0].end - missing.items[0].begin));
    }
    cuvier_add_all(&unit->here, &missing);
#if CUVIER_DEVICES != 1
    cuvier_bring_across(kernel, unit, &missing);
#endif
    for (size_t k = 0; k < missing.length; k++)
        cuvier_write(kernel, unit, missing.items[k].begin, missing.items[k].end);
    free(missing.items);
}

/* Takes the unit off the device, whatever is late. */
CUVIER_FUNCTION void cuvier_forget(const char *kernel, size_t place)
{
    cuvier_unit *unit = &cuvier_all.items[place];
    if (unit->stays)
        cuvier_wait(kernel); /* a kernel may be writing to it */
    cuvier_settle(kernel, unit, unit->begin, unit->end);
    cuvier_arrive(kernel, unit, unit->begin, unit->end);
    cuvier_device_free(kernel, unit->name, unit->buffer);
    free(unit->here.items);
    free(unit->late.items);
    free(unit->lent.items);
    free(unit->coming.items);
#if CUVIER_DEVICES != 1
    if (unit->written)
        cuvier_device_forget(kernel, unit->written);
#endif
    memmove(unit, unit + 1, (--cuvier_all.length - place) * sizeof *unit);
}

/* Does something on all devices. */
CUVIER_FUNCTION void cuvier_everywhere(void (*act)(const void *, size_t), const void *first, size_t bytes)
{
#if CUVIER_DEVICES == 1
    act(first, bytes);
#else
    const int at = cuvier_at;
    for (int device = 0; device < cuvier_device_count; device++) {
        cuvier_go_to(device);
        act(first, bytes);
    }
    cuvier_go_to(at);
#endif
}

CUVIER_FUNCTION void cuvier_release_here(const void *for_whom, size_t none)
{
    const char *const kernel = (const char *)for_whom;
    (void)none;
    cuvier_show_all(kernel);
    while (cuvier_all.length > 0) {
        cuvier_unit *last = &cuvier_all.items[cuvier_all.length - 1];
        cuvier_return(kernel, last, last->begin, last->end);
        cuvier_forget(kernel, cuvier_all.length - 1);
    }
    cuvier_all.emptied++;
    cuvier_wait(kernel);
}

CUVIER_FUNCTION void cuvier_release(const char *kernel)
{
    cuvier_everywhere(cuvier_release_here, kernel, 0);
}

/* What `old` has here goes into `unit`, which is larger. */
CUVIER_FUNCTION void cuvier_take_over(const char *kernel, cuvier_unit *unit, const cuvier_unit *old)
{
    if (old->here.length > 0) { /* in one piece, whatever lies between */
        char *const first = old->here.items[0].begin, *const last = old->here.items[old->here.length - 1].end;
        cuvier_device_move(kernel, unit->name, unit->buffer, cuvier_place(unit, first), old->buffer, cuvier_place(old, first),
                           (size_t)(last - first));
    }
    for (size_t k = 0; k < old->here.length; k++)
        cuvier_add(&unit->here, old->here.items[k].begin, old->here.items[k].end);
    for (size_t k = 0; k < old->late.length; k++)
        cuvier_add(&unit->late, old->late.items[k].begin, old->late.items[k].end);
#if CUVIER_DEVICES != 1
    cuvier_note_moment(kernel, unit);
#endif
}

/* The unit that has all of the stretch, if there is one. */
CUVIER_FUNCTION cuvier_unit *cuvier_unit_around(char *begin, char *end)
{
    const size_t k = cuvier_first_unit(begin);
    const int is_around = k < cuvier_all.length && cuvier_all.items[k].begin <= begin && end <= cuvier_all.items[k].end;
    return is_around ? &cuvier_all.items[k] : NULL;
}

/* Does the unit end where the stretch begins, and have cells of the same array? */
static inline int cuvier_is_behind(const cuvier_unit *unit, const void *base, const char *begin)
{
    return unit->end == begin && base != NULL && unit->base == base;
}

/* The unit that has a part of the stretch, or ends where that begins, made longer, if no other one has a part of it and the
   buffer is long enough. */
CUVIER_FUNCTION cuvier_unit *cuvier_longer_unit(const void *base, char *begin, char *end)
{
    size_t first = cuvier_first_unit(begin);
    const int is_apart = first == cuvier_all.length || cuvier_all.items[first].begin >= end;
    if (is_apart && first > 0 && cuvier_is_behind(&cuvier_all.items[first - 1], base, begin))
        first--;
    cuvier_unit *const unit = &cuvier_all.items[first];
    if (first == cuvier_all.length || unit->begin >= end || unit->stays)
        return NULL;
    if (first + 1 < cuvier_all.length && unit[1].begin < end)
        return NULL;
    const size_t before = begin < unit->begin ? (size_t)(unit->begin - begin) : 0;
    const size_t behind = end > unit->end ? (size_t)(end - unit->end) : 0;
    if (before > unit->pad || behind > unit->room)
        return NULL;
    unit->begin -= before;
    unit->end += behind;
    unit->pad -= before;
    unit->room -= behind;
    unit->base = unit->base == base ? base : NULL;
    return unit;
}

/* A unit that grows will grow again: as much as it has, up to 16 MB; a part of an array, by what lies around it. */
static inline size_t cuvier_spare(size_t bytes)
{
    if (CUVIER_SEVERAL)
        return (bytes / 8 + 15) / 16 * 16;
    return bytes < 16777216 ? (bytes + 15) / 16 * 16 : 16777216;
}

/* Units that the stretch has a part of become a part of `unit`; those that stay are forgotten, as no two buffers have the same memory. */
CUVIER_FUNCTION void cuvier_swallow(const char *kernel, cuvier_unit *unit)
{
    const char *const begin = unit->begin, *const end = unit->end;
    int is_longer = 0, is_earlier = 0;
    size_t k = cuvier_first_unit(begin);
    while (k < cuvier_all.length && cuvier_all.items[k].begin < end) {
        cuvier_unit *old = &cuvier_all.items[k];
        unit->base = old->base == unit->base ? unit->base : NULL;
        unit->is_found |= old->is_found;
        is_longer |= old->end < end;
        is_earlier |= old->begin > begin;
        unit->begin = old->begin < unit->begin ? old->begin : unit->begin;
        unit->end = old->end > unit->end ? old->end : unit->end;
        if (!old->stays) {
            k++;
            continue;
        }
        cuvier_return(kernel, old, old->begin, old->end);
        cuvier_forget(kernel, k);
    }
    const size_t bytes = (size_t)(unit->end - unit->begin);
    unit->pad = (size_t)unit->begin % 16 + (is_earlier ? cuvier_spare(bytes) : 0);
    unit->room = is_longer ? cuvier_spare(bytes) : 0;
}

/* Does another unit have a part of it? */
static inline int cuvier_meets_unit(const cuvier_unit *unit)
{
    const size_t first = cuvier_first_unit(unit->begin);
    return first < cuvier_all.length && cuvier_all.items[first].begin < unit->end;
}

/* A new unit for the stretch and for all units that have a part of it, in their place. */
CUVIER_FUNCTION cuvier_unit *cuvier_new_unit(const char *kernel, const char *what, const void *base, char *begin, char *end, int is_found)
{
    cuvier_unit unit;
#if CUVIER_DEVICES != 1
    cuvier_device_open(kernel);
#endif
    memset(&unit, 0, sizeof unit);
    unit.name = what;
    unit.base = base;
    unit.begin = begin;
    unit.end = end;
    unit.is_found = is_found || CUVIER_ADDRESSES;
    cuvier_swallow(kernel, &unit);
    const size_t bytes = (size_t)(unit.end - unit.begin);
    unit.buffer = cuvier_device_alloc(kernel, what, unit.begin, bytes, unit.pad + unit.room, unit.is_found, &unit.stays);
    if (unit.stays == CUVIER_FULL) { /* beside those in whose place it comes: their values go by way of the host */
        while (cuvier_meets_unit(&unit)) {
            cuvier_unit *const old = &cuvier_all.items[cuvier_first_unit(unit.begin)];
            cuvier_return(kernel, old, old->begin, old->end);
            cuvier_forget(kernel, cuvier_first_unit(unit.begin));
        }
        unit.pad = (size_t)unit.begin % 16;
        unit.room = 0;
        unit.buffer = cuvier_device_alloc(kernel, what, unit.begin, bytes, unit.pad, unit.is_found, &unit.stays);
    }
    if (unit.stays == CUVIER_FULL) {
        fprintf(stderr, "cuvier: %s: the device has no memory left for %zu bytes of %s\n", kernel, bytes, what);
        exit(1);
    }
    if (unit.stays)
        unit.pad = unit.room = 0;
    const size_t place = cuvier_first_unit(unit.begin);
    while (cuvier_meets_unit(&unit)) {
        cuvier_take_over(kernel, &unit, &cuvier_all.items[place]);
        cuvier_forget(kernel, place);
    }
    if (cuvier_all.length == cuvier_all.room) {
        cuvier_all.room = 2 * cuvier_all.room + 8;
        cuvier_all.items = (cuvier_unit *)cuvier_grown(cuvier_all.items, cuvier_all.room * sizeof unit);
    }
    cuvier_unit *const all = cuvier_all.items;
    memmove(all + place + 1, all + place, (cuvier_all.length++ - place) * sizeof unit);
    all[place] = unit;
    return &all[place];
}

/* The bytes of `count` cells from `host[first]` on; where there are none, `first` may be any number. */
CUVIER_FUNCTION cuvier_stretch cuvier_stretch_of(const void *host, long first, long count, size_t size)
{
    char *const begin = (char *)host + (count > 0 ? first * (long)size : 0);
    const cuvier_stretch found = {begin, begin + cuvier_max(count, 0) * (long)size};
    return found;
}

/* How cells are mapped: with their values; by an address that host code knows their array by; found by places that kernels read. */
enum { CUVIER_READ = 1, CUVIER_KNOWN = 2, CUVIER_FOUND = 4 };

/* The bytes of an array at `host` have a place on the device. */
CUVIER_FUNCTION void cuvier_map_bytes(const char *kernel, const char *what, const void *host, cuvier_stretch all, int how)
{
    const void *base = how & CUVIER_KNOWN ? host : NULL;
    const cuvier_bytes wanted = {&all, 1};
    if (all.begin >= all.end)
        return;
    cuvier_unit *unit = cuvier_unit_around(all.begin, all.end);
    if (unit == NULL)
        unit = cuvier_longer_unit(base, all.begin, all.end);
    if (unit != NULL && how & CUVIER_FOUND && !unit->is_found)
        unit = NULL;
    if (unit == NULL)
        unit = cuvier_new_unit(kernel, what, base, all.begin, all.end, (how & CUVIER_FOUND) != 0);
    else if (unit->base != base)
        unit->base = NULL;
    if (how & CUVIER_READ)
        cuvier_bring(kernel, unit, &wanted);
}

/* The `count` cells from `host[first]` on have a place on the device. */
CUVIER_FUNCTION void cuvier_map(const char *kernel, const char *what, const void *host, long first, long count, size_t size, int how)
{
    cuvier_map_bytes(kernel, what, host, cuvier_stretch_of(host, first, count, size), how);
}

/* The cells from `host[first]` to `host[last]`, too. */
CUVIER_FUNCTION void cuvier_list(cuvier_bytes *cells, const void *host, long first, long last, size_t size)
{
    const cuvier_stretch one = cuvier_stretch_of(host, first, last - first + 1, size);
    if (cells->length > 0 && one.begin < cells->items[cells->length - 1].begin)
        cuvier_add(cells, one.begin, one.end); /* a row that begins in front of the one before */
    else
        cuvier_append(cells, one.begin, one.end);
}

/* A kernel is going to read the cells, which lie in memory that is mapped. */
CUVIER_FUNCTION void cuvier_reads_listed(const char *kernel, cuvier_bytes *cells)
{
    if (cells->length > 0)
        cuvier_bring(kernel, cuvier_unit_around(cells->items[0].begin, cells->items[cells->length - 1].end), cells);
    free(cells->items);
}

/* A kernel has written the cells of a unit, perhaps: the device has the value that counts. */
static inline void cuvier_note_late(cuvier_unit *unit, const cuvier_bytes *cells)
{
    cuvier_add_all(&unit->here, cells);
    cuvier_add_all(&unit->late, cells);
#if CUVIER_DEVICES != 1
    cuvier_take_from_others(unit->name, cells);
    cuvier_note_moment(unit->name, unit);
#endif
}

/* A kernel has written the cells of a unit. */
CUVIER_FUNCTION void cuvier_wrote_in(cuvier_unit *unit, const cuvier_bytes *cells)
{
    if (cuvier_left_out == CUVIER_NO_ACCOUNT)
        return;
    cuvier_note_late(unit, cells);
#ifdef CUVIER_POISON
    cuvier_settle("poison", unit, unit->begin, unit->end);
    cuvier_arrive("poison", unit, unit->begin, unit->end);
    for (size_t k = 0; k < cells->length && !unit->stays; k++)
        memset(cells->items[k].begin, 0xA5, (size_t)(cells->items[k].end - cells->items[k].begin));
#endif
}

CUVIER_FUNCTION void cuvier_wrote_listed(cuvier_bytes *cells)
{
    if (cells->length > 0)
        cuvier_wrote_in(cuvier_unit_around(cells->items[0].begin, cells->items[cells->length - 1].end), cells);
    free(cells->items);
}

CUVIER_FUNCTION void cuvier_wrote(const void *host, long first, long count, size_t size)
{
    cuvier_bytes cells = {NULL, 0};
    cuvier_list(&cells, host, first, first + count - 1, size);
    cuvier_wrote_listed(&cells);
}

/* What a look at the subscripts of a loop finds, before a launch: by cell, is it touched (1), is it written (2)? */
typedef struct {
    long first, count;
    unsigned char *cells;
} cuvier_seen;

CUVIER_FUNCTION cuvier_seen cuvier_unseen(long first, long count)
{
    cuvier_seen made = {first, cuvier_max(count, 0), NULL};
    made.cells = (unsigned char *)cuvier_grown(NULL, (size_t)made.count + 1);
    memset(made.cells, 0, (size_t)made.count + 1);
    return made;
}

static inline void cuvier_unsee(cuvier_seen *seen)
{
    free(seen->cells);
}

static inline void cuvier_see(cuvier_seen *seen, long cell, int writes)
{
    if (cell >= seen->first && cell - seen->first < seen->count)
        seen->cells[cell - seen->first] |= (unsigned char)(writes ? 3 : 1);
}

static inline void cuvier_see_all(cuvier_seen *seen, int writes)
{
    for (long k = 0; k < seen->count; k++)
        seen->cells[k] |= (unsigned char)(writes ? 3 : 1);
}

CUVIER_FUNCTION cuvier_bytes cuvier_seen_cells(const cuvier_seen *seen, const void *host, size_t size, int written)
{
    cuvier_bytes found = {NULL, 0};
    for (long k = 0; k < seen->count; k++)
        if (seen->cells[k] & (written ? 2 : 1))
            cuvier_list(&found, host, seen->first + k, seen->first + k, size);
    return found;
}

CUVIER_FUNCTION void cuvier_reads_seen(const char *kernel, const cuvier_seen *seen, const void *host, size_t size)
{
    cuvier_bytes cells = cuvier_seen_cells(seen, host, size, 0);
    cuvier_reads_listed(kernel, &cells);
}

CUVIER_FUNCTION void cuvier_wrote_seen(const cuvier_seen *seen, const void *host, size_t size)
{
    cuvier_bytes cells = cuvier_seen_cells(seen, host, size, 1);
    cuvier_wrote_listed(&cells);
}

/* Is it a unit that the host code speaks of: some of the `bytes` from `first` on, or, where that is 0, of the array that is
 * known by the address `first`? */
static inline int cuvier_is_meant(const cuvier_unit *unit, const void *first, size_t bytes)
{
    const char *begin = (const char *)first;
    return bytes ? unit->begin < begin + bytes && begin < unit->end : unit->base == first || unit->base == NULL;
}

/* The number of the first unit that may be meant; and is this one behind all that are? */
static inline size_t cuvier_first_meant(const void *first, size_t bytes)
{
    return bytes ? cuvier_first_unit((const char *)first) : 0;
}

static inline int cuvier_is_beyond(size_t k, const void *first, size_t bytes)
{
    return bytes && cuvier_all.items[k].begin >= (const char *)first + bytes;
}

CUVIER_FUNCTION void cuvier_reads_here(const void *first, size_t bytes)
{
    for (size_t k = cuvier_first_meant(first, bytes); k < cuvier_all.length && !cuvier_is_beyond(k, first, bytes); k++) {
        cuvier_unit *unit = &cuvier_all.items[k];
        if (cuvier_is_meant(unit, first, bytes))
            cuvier_return("host code", unit, bytes ? (char *)first : unit->begin, bytes ? (char *)first + bytes : unit->end);
    }
}

/* The host is going to read the bytes. */
CUVIER_FUNCTION void cuvier_host_reads(const void *first, size_t bytes)
{
    cuvier_everywhere(cuvier_reads_here, first, bytes);
}

CUVIER_FUNCTION void cuvier_copyout_here(const void *first, size_t bytes)
{
    for (size_t k = cuvier_first_meant(first, bytes); k < cuvier_all.length && !cuvier_is_beyond(k, first, bytes); k++) {
        cuvier_unit *unit = &cuvier_all.items[k];
        if (cuvier_is_meant(unit, first, bytes))
            cuvier_begin_return("host code", unit, bytes ? (char *)first : unit->begin, bytes ? (char *)first + bytes : unit->end);
    }
}

/* The host is going to read the bytes a while from now. */
CUVIER_FUNCTION void cuvier_host_copyout(const void *first, size_t bytes)
{
    cuvier_everywhere(cuvier_copyout_here, first, bytes);
}

/* A kernel is going to read the bytes a while from now; of several devices, nobody knows yet which one. */
CUVIER_FUNCTION void cuvier_host_copyin(const char *what, const void *first, size_t bytes)
{
    if (!CUVIER_SEVERAL)
        cuvier_map("host code", what, first, 0, (long)bytes, 1, CUVIER_READ);
}

CUVIER_FUNCTION void cuvier_sync_here(const void *first, size_t bytes)
{
    (void)first, (void)bytes;
    for (size_t k = 0; k < cuvier_all.length; k++) {
        cuvier_settle("host code", &cuvier_all.items[k], cuvier_all.items[k].begin, cuvier_all.items[k].end);
        cuvier_arrive("host code", &cuvier_all.items[k], cuvier_all.items[k].begin, cuvier_all.items[k].end);
    }
}

/* All copies that were begun are done. */
CUVIER_FUNCTION void cuvier_host_sync(void)
{
    cuvier_everywhere(cuvier_sync_here, NULL, 0);
}

CUVIER_FUNCTION void cuvier_overwrites_here(const void *first, size_t bytes)
{
    for (size_t k = cuvier_first_meant(first, bytes); k < cuvier_all.length && !cuvier_is_beyond(k, first, bytes); k++) {
        cuvier_unit *unit = &cuvier_all.items[k];
        char *const begin = bytes ? (char *)first : unit->begin, *const end = bytes ? begin + bytes : unit->end;
        if (!cuvier_is_meant(unit, first, bytes))
            continue;
        cuvier_remove(&unit->late, begin, end);
        cuvier_settle("host code", unit, begin, end);
        cuvier_arrive("host code", unit, begin, end);
        if (unit->stays)
            cuvier_wait("host code"); /* a kernel may be at work on it */
        else
            cuvier_remove(&unit->here, begin, end);
    }
}

/* The host is going to write all of the bytes. */
CUVIER_FUNCTION void cuvier_host_overwrites(const void *first, size_t bytes)
{
    cuvier_everywhere(cuvier_overwrites_here, first, bytes);
}

/* The host is going to write the bytes, or some of them. */
CUVIER_FUNCTION void cuvier_host_writes(const void *first, size_t bytes)
{
    cuvier_host_reads(first, bytes);
    cuvier_host_overwrites(first, bytes);
}

/* The host is going to make a kernel's loop: it reads the `count` cells from `host[first]` on, or may write them, too. */
CUVIER_FUNCTION void cuvier_host_has(const void *host, long first, long count, size_t size, int is_written)
{
    const cuvier_stretch cells = cuvier_stretch_of(host, first, count, size);
    if (cells.begin >= cells.end)
        return;
    if (is_written)
        cuvier_host_writes(cells.begin, (size_t)(cells.end - cells.begin));
    else
        cuvier_host_reads(cells.begin, (size_t)(cells.end - cells.begin));
}

CUVIER_FUNCTION void cuvier_drops_here(const void *first, size_t bytes)
{
    for (size_t k = cuvier_all.length; k-- > 0;) {
        cuvier_unit *unit = &cuvier_all.items[k];
        if (!cuvier_is_meant(unit, first, bytes))
            continue;
        if (bytes == 0 && unit->base == NULL)
            cuvier_return("host code", unit, unit->begin, unit->end); /* it may be another one */
        cuvier_forget("host code", k);
    }
}

/* Nobody is going to read the bytes any more. */
CUVIER_FUNCTION void cuvier_host_drops(const void *first, size_t bytes)
{
    cuvier_everywhere(cuvier_drops_here, first, bytes);
}

CUVIER_FUNCTION void cuvier_reads_all_here(const void *first, size_t bytes)
{
    (void)first, (void)bytes;
    cuvier_show_all("host code");
    for (size_t k = 0; k < cuvier_all.length; k++)
        cuvier_return("host code", &cuvier_all.items[k], cuvier_all.items[k].begin, cuvier_all.items[k].end);
}

/* The host is going to read anything that it can reach. */
CUVIER_FUNCTION void cuvier_host_reads_all(void)
{
    cuvier_everywhere(cuvier_reads_all_here, NULL, 0);
}

#endif

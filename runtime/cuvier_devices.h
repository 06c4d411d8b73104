/* Several devices: which iterations each of them makes, and bytes that go from one to another.
 *
 * CUVIER_DEVICES=0,1,1 in the environment names the devices by their numbers, some perhaps several times, each time with memory of
 * its own; without it, they are the first ones there are.  CUVIER_WEIGHTS=2,1,1: the first one makes as many iterations as the
 * others together.  CUVIER_OVERHEAD=beta leaves out copies, gamma the account of where values are, too (alpha: nothing): results are
 * wrong, and the times tell what each takes (Matz et al., section 9.2).  CUVIER_TRACKER=single is for comparison: what a device has
 * from another one is copied again for every launch, as it is where an account knows one owner of each byte (section 5.2). */
#ifndef CUVIER_DEVICES_H
#define CUVIER_DEVICES_H

/* The device's part.  All devices are opened, unless they are. */
CUVIER_FUNCTION void cuvier_device_open(const char *kernel);
/* What follows is for the device `cuvier_at`. */
CUVIER_FUNCTION void cuvier_device_enter(void);
/* A moment is when all is done that a device has been told until now. */
CUVIER_FUNCTION cuvier_moment cuvier_device_moment(const char *kernel);
CUVIER_FUNCTION void cuvier_device_forget(const char *kernel, cuvier_moment moment);
/* Copies to a buffer here from one of another device, where the bytes are right from the moment on; that device does not change them
 * before it is done. */
CUVIER_FUNCTION void cuvier_device_across(const char *kernel, const char *what, cuvier_buffer to, size_t to_at, int other, cuvier_buffer from,
                                          size_t from_at, size_t bytes, cuvier_moment moment);

static int cuvier_device_count; /* 0 before the first launch */

static inline void cuvier_go_to(int device)
{
    cuvier_at = device;
    cuvier_device_enter();
}

/* Numbers from the environment, separated by commas, from `least` to 255: as many as are returned, at most `most`. */
CUVIER_FUNCTION int cuvier_numbers(const char *variable, int least, int *numbers, int most)
{
    const char *at = getenv(variable);
    int count = 0;
    while (at && *at) {
        char *end;
        const long number = strtol(at, &end, 10);
        if (end == at || (*end && *end != ',') || number < least || number > 255 || count == most) {
            fprintf(stderr, "cuvier: %s=%s: expected at most %d numbers from %d to 255, separated by commas\n", variable,
                    getenv(variable), most, least);
            exit(1);
        }
        numbers[count++] = (int)number;
        at = *end ? end + 1 : end;
    }
    return count;
}

/* Which of the words a variable of the environment is; the first one where it is not set. */
CUVIER_FUNCTION int cuvier_word(const char *variable, const char *const *words, int count)
{
    const char *const said = getenv(variable);
    for (int k = 0; said && k < count; k++)
        if (strcmp(said, words[k]) == 0)
            return k;
    if (said == NULL)
        return 0;
    fprintf(stderr, "cuvier: %s=%s: expected", variable, said);
    for (int k = 0; k < count; k++)
        fprintf(stderr, "%s %s", k == 0 ? "" : k + 1 < count ? "," : " or", words[k]);
    fprintf(stderr, "\n");
    exit(1);
}

CUVIER_FUNCTION void cuvier_read_settings(void)
{
    static const char *const parts[] = {"alpha", "beta", "gamma"}, *const trackers[] = {"shared", "single"};
    cuvier_left_out = cuvier_word("CUVIER_OVERHEAD", parts, 3);
    cuvier_is_single = cuvier_word("CUVIER_TRACKER", trackers, 2);
}

/* The numbers of the devices, of which there are `available`. */
CUVIER_FUNCTION int cuvier_device_numbers(int available, int *numbers)
{
    cuvier_read_settings();
    int count = cuvier_numbers("CUVIER_DEVICES", 0, numbers, CUVIER_MOST);
    if (count == 0) {
        count = CUVIER_DEVICES ? CUVIER_DEVICES : available < CUVIER_MOST ? available : CUVIER_MOST;
        for (int k = 0; k < count; k++)
            numbers[k] = k;
    }
    for (int k = 0; k < count; k++)
        if (numbers[k] >= available) {
            fprintf(stderr, "cuvier: there is no device number %d for a program on %d: there %s %d; CUVIER_DEVICES=0,0, for example, takes number 0"
                            " twice\n", numbers[k], count, available == 1 ? "is" : "are", available);
            exit(1);
        }
    return count;
}

#include "cuvier_collect.h"

/* The iterations of a device, from the first to the last one; none where that is less. */
typedef struct {
    long first, last;
} cuvier_share;

CUVIER_FUNCTION cuvier_share cuvier_share_of(long trips, int device)
{
    static int weights[CUVIER_MOST], is_known;
    long before = 0, all = 0;
    if (!is_known) {
        const int count = cuvier_numbers("CUVIER_WEIGHTS", 0, weights, CUVIER_MOST);
        if (count > 0 && count != cuvier_device_count) {
            fprintf(stderr, "cuvier: CUVIER_WEIGHTS=%s: %d weights for %d devices\n", getenv("CUVIER_WEIGHTS"), count, cuvier_device_count);
            exit(1);
        }
        is_known = 1;
        for (int k = count; k < CUVIER_MOST; k++)
            weights[k] = 1;
    }
    for (int k = 0; k < cuvier_device_count; k++) {
        before += k < device ? weights[k] : 0;
        all += weights[k];
    }
    if (all == 0) {
        fprintf(stderr, "cuvier: CUVIER_WEIGHTS: no device has any weight\n");
        exit(1);
    }
    const cuvier_share own = {(long)((__int128)trips * before / all), (long)((__int128)trips * (before + weights[device]) / all) - 1};
    return own;
}

/* What has been written to the unit until now is right from this moment on. */
CUVIER_FUNCTION void cuvier_note_moment(const char *kernel, cuvier_unit *unit)
{
    if (unit->written)
        cuvier_device_forget(kernel, unit->written);
    unit->written = cuvier_device_moment(kernel);
}

/* What another device has late is not here, though it has been copied. */
CUVIER_FUNCTION void cuvier_disown(cuvier_unit *unit)
{
    for (int other = 0; other < cuvier_device_count; other++)
        for (size_t k = 0; other != cuvier_at && k < cuvier_accounts[other].length; k++)
            cuvier_become(&unit->here, cuvier_part(&unit->here, &cuvier_accounts[other].items[k].late, 1));
}

/* Those of the missing bytes that a unit of another device has late come from there, and are missing no more. */
CUVIER_FUNCTION void cuvier_bring_from(const char *kernel, cuvier_unit *unit, int other, const cuvier_unit *source, cuvier_bytes *missing)
{
    cuvier_bytes pieces = cuvier_part(missing, &source->late, 0);
    for (size_t k = 0; k < pieces.length; k++) {
        char *const begin = pieces.items[k].begin;
        const size_t bytes = (size_t)(pieces.items[k].end - begin);
        if (!cuvier_left_out)
            cuvier_device_across(kernel, unit->name, unit->buffer, cuvier_place(unit, begin), other, source->buffer,
                                 cuvier_place(source, begin), bytes, source->written);
        cuvier_count_move(unit->name, "across", other, cuvier_at, bytes);
    }
    if (pieces.length > 0) {
        cuvier_note_moment(kernel, unit);
        cuvier_become(missing, cuvier_part(missing, &pieces, 1));
    }
    free(pieces.items);
}

CUVIER_FUNCTION void cuvier_bring_across(const char *kernel, cuvier_unit *unit, cuvier_bytes *missing)
{
    for (int other = 0; other < cuvier_device_count && missing->length > 0; other++) {
        const cuvier_units *theirs = &cuvier_accounts[other];
        for (size_t k = 0; k < theirs->length && missing->length > 0 && other != cuvier_at; k++)
            if (theirs->items[k].begin < unit->end && unit->begin < theirs->items[k].end)
                cuvier_bring_from(kernel, unit, other, &theirs->items[k], missing);
    }
}

/* Notes how many stretches of an array that host code knows by its address are late, on all devices together. */
CUVIER_FUNCTION void cuvier_count_segments(const char *array, const void *host)
{
    cuvier_counts *const all = &cuvier_counted.segments;
    cuvier_count one = {array, "", 0, 0, 0, 0};
    if (!cuvier_counting())
        return;
    for (int device = 0; device < cuvier_device_count; device++)
        for (size_t k = 0; k < cuvier_accounts[device].length; k++)
            one.count += cuvier_accounts[device].items[k].base == host ? cuvier_accounts[device].items[k].late.length : 0;
    for (size_t k = 0; k < all->length; k++)
        if (strcmp(all->items[k].name, array) == 0)
            all->items[k--] = all->items[--all->length];
    cuvier_count_one(all, one);
}

/* The device has written the cells: nobody else has their value. */
CUVIER_FUNCTION void cuvier_take_from_others(const char *kernel, const cuvier_bytes *cells)
{
    const int own = cuvier_at;
    char *const begin = cells->length ? cells->items[0].begin : NULL, *const end = cells->length ? cells->items[cells->length - 1].end : NULL;
    for (int device = 0; device < cuvier_device_count; device++) {
        cuvier_go_to(device);
        for (size_t k = cuvier_first_unit(begin); device != own && k < cuvier_all.length && cuvier_all.items[k].begin < end; k++) {
            cuvier_unit *unit = &cuvier_all.items[k];
            cuvier_arrive(kernel, unit, unit->begin, unit->end);
            cuvier_settle(kernel, unit, unit->begin, unit->end);
            cuvier_become(&unit->here, cuvier_part(&unit->here, cells, 1));
            cuvier_become(&unit->late, cuvier_part(&unit->late, cells, 1));
        }
    }
    cuvier_go_to(own);
}

#endif

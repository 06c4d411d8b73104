/* The recorder behind watch.h: one slot per (kernel site, variable) with the first and the last state, and
 * one hash per execution.
 *
 * The file: one line of text per slot,
 *     slot KIND ELEMENT EXECUTIONS ROUNDED FIRST LAST OFFSET RANK LENGTH.. SITE NAME
 * (ROUNDED: the first execution after which values may differ by rounding; FIRST, LAST: bytes of the two
 * states; OFFSET: index of the first recorded element, counted from the pointer), followed by the two
 * states and the hashes as they lie in memory; then `guard MESSAGE` lines, and `end ROUNDED`. */
#include "watch.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_DIMENSIONS = 8, MOST_ADDRESSES = 16 };

typedef struct {
    char *data;
    size_t bytes;
} State;

typedef struct {
    const char *site, *name;
    int kind, rank;
    size_t element, lengths[MOST_DIMENSIONS];
    long offset;
    State first, last;
    size_t executions, room, rounded;
    unsigned long long *hashes;
} Slot;

typedef struct {
    Slot identity; /* all but the states */
    const char *data;
    size_t bytes;
} Global;

static Slot *slots;
static Global *globals;
static size_t slot_count, global_count;
static int rounding;
static pid_t owner;
static char lock;
static __thread int address_count; /* what cuvier_watch_addresses has said */
static __thread size_t address_places[MOST_ADDRESSES][2];

static void enter(void)
{
    while (__atomic_test_and_set(&lock, __ATOMIC_ACQUIRE)) {
    }
}

static void leave(void)
{
    __atomic_clear(&lock, __ATOMIC_RELEASE);
}

static void *grown(void *memory, size_t bytes)
{
    void *result = realloc(memory, bytes ? bytes : 1);
    if (!result) {
        fprintf(stderr, "cuvier verify: out of memory while recording\n");
        _exit(125);
    }
    return result;
}

static unsigned long long mix(unsigned long long hash, unsigned long long word)
{
    hash = (hash ^ word) * 0x9E3779B97F4A7C15ull;
    return hash ^ (hash >> 29);
}

static unsigned long long load(const char *data, size_t bytes)
{
    unsigned long long word = 0;
    memcpy(&word, data, bytes < sizeof word ? bytes : sizeof word);
    return word;
}

/* The part of a number that has meaning: x86's long double is padded. */
static size_t significant(int kind, size_t bytes)
{
    return (kind == 'l' || kind == 'L') && sizeof(long double) == 16 && bytes == 16 ? 10 : bytes;
}

static int is_nan(int kind, const char *data)
{
    float f;
    double d;
    long double l;
    switch (kind) {
    case 'f': case 'F': memcpy(&f, data, sizeof f); return f != f;
    case 'd': case 'D': memcpy(&d, data, sizeof d); return d != d;
    case 'l': case 'L': memcpy(&l, data, sizeof l); return l != l;
    default: return 0;
    }
}

/* A hash of the values: all NaNs are one value, padding counts for nothing. */
static unsigned long long hash_of(int kind, size_t element, const char *data, size_t bytes)
{
    unsigned long long hash = mix(0x243F6A8885A308D3ull, bytes);
    size_t number = kind == 'F' || kind == 'D' || kind == 'L' ? element / 2 : element;
    size_t step = strchr("fdlFDL", kind) ? number : sizeof hash;
    size_t used = significant(kind, step);
    for (size_t at = 0; at < bytes; at += step) {
        size_t left = bytes - at < used ? bytes - at : used;
        if (is_nan(kind, data + at)) {
            hash = mix(hash, 0x7FF8);
            continue;
        }
        hash = mix(hash, load(data + at, left));
        if (left > sizeof hash)
            hash = mix(hash, load(data + at + sizeof hash, left - sizeof hash));
    }
    return hash;
}

static Slot *slot_for(const char *site, const char *name)
{
    for (size_t k = 0; k < slot_count; k++)
        if (!strcmp(slots[k].site, site) && !strcmp(slots[k].name, name))
            return &slots[k];
    slots = grown(slots, (slot_count + 1) * sizeof *slots);
    Slot *slot = memset(&slots[slot_count++], 0, sizeof *slots);
    slot->site = site;
    slot->name = name;
    slot->rounded = (size_t)-1;
    return slot;
}

static void describe(Slot *slot, int kind, size_t element, int rank, va_list lengths)
{
    slot->kind = kind;
    slot->element = element;
    slot->rank = rank;
    for (int k = 0; k < rank && k < MOST_DIMENSIONS; k++)
        slot->lengths[k] = va_arg(lengths, size_t);
}

static void keep(State *state, const char *data, size_t bytes)
{
    if (state->bytes != bytes || !state->data)
        state->data = grown(state->data, bytes);
    state->bytes = bytes;
    if (bytes)
        memcpy(state->data, data, bytes);
}

void cuvier_watch_addresses(int count, ...)
{
    va_list places;
    va_start(places, count);
    for (int k = 0; k < count && k < MOST_ADDRESSES; k++)
        for (int part = 0; part < 2; part++)
            address_places[k][part] = va_arg(places, size_t);
    va_end(places);
    address_count = count < MOST_ADDRESSES ? count : MOST_ADDRESSES;
}

/* Takes the addresses out of a state. */
static void blank(State *state, size_t element)
{
    for (size_t at = 0; at + element <= state->bytes; at += element)
        for (int k = 0; k < address_count; k++)
            memset(state->data + at + address_places[k][0], 0, address_places[k][1]);
    address_count = 0;
}

static int is_nothing_but_addresses(size_t element)
{
    size_t sum = 0;
    for (int k = 0; k < address_count; k++)
        sum += address_places[k][1];
    return address_count > 0 && sum == element;
}

/* One more execution of the slot's kernel left `bytes` at `data`. */
static void add(Slot *slot, const char *data, size_t bytes)
{
    if (is_nothing_but_addresses(slot->element))
        slot->kind = 'p';
    if (slot->kind == 'p')
        bytes = 0;
    if (slot->executions == slot->room) {
        slot->room = slot->room ? 2 * slot->room : 4;
        slot->hashes = grown(slot->hashes, slot->room * sizeof *slot->hashes);
    }
    if (rounding && slot->rounded == (size_t)-1)
        slot->rounded = slot->executions;
    State *state = slot->executions ? &slot->last : &slot->first;
    keep(state, data, bytes);
    blank(state, slot->element);
    slot->hashes[slot->executions++] = hash_of(slot->kind, slot->element, state->data, bytes);
}

void cuvier_watch_object(const char *site, const char *name, int kind, size_t element, const void *data,
                         size_t bytes, int rank, ...)
{
    va_list lengths;
    enter();
    Slot *slot = slot_for(site, name);
    va_start(lengths, rank);
    describe(slot, kind, element, rank, lengths);
    va_end(lengths);
    add(slot, data, bytes);
    leave();
}

static int global_find(const char *inside, const char **start, size_t *bytes)
{
    for (size_t k = 0; k < global_count; k++)
        if (inside >= globals[k].data && inside < globals[k].data + globals[k].bytes) {
            *start = globals[k].data;
            *bytes = globals[k].bytes;
            return 1;
        }
    return 0;
}

/* Widen `bytes` at `data` to the block around it, in whole elements; the result is the index of its first. */
static long widen(const char **data, size_t *bytes, size_t element)
{
    const char *start;
    size_t size;
    if (!cuvier_block_find(*data, &start, &size) && !global_find(*data, &start, &size))
        return 0;
    size_t before = (size_t)(*data - start) / element;
    *bytes = (size_t)(start + size - *data) + before * element;
    *data -= before * element;
    return -(long)before;
}

void cuvier_watch_pointer(const char *site, const char *name, int kind, size_t element, const void *data,
                          size_t bytes, int rank, ...)
{
    va_list lengths;
    const char *from = data;
    enter();
    Slot *slot = slot_for(site, name);
    va_start(lengths, rank);
    describe(slot, kind, element, rank, lengths);
    va_end(lengths);
    slot->offset = widen(&from, &bytes, element);
    cuvier_block_check(data, site, name);
    add(slot, from, data ? bytes : 0);
    leave();
}

/* Bytes of the row at `row`: to the end of its block, or to the next row in the same block. */
static size_t row_bytes(const char *row, const char *next)
{
    const char *start;
    size_t size;
    if (!cuvier_block_find(row, &start, &size))
        return 0;
    return next > row && next < start + size ? (size_t)(next - row) : (size_t)(start + size - row);
}

void cuvier_watch_rows(const char *site, const char *name, int kind, size_t element, const void *rows, size_t bytes)
{
    const char *const *row = rows, *start;
    char *joined = NULL;
    size_t size, total = 0, length = 0;
    if (cuvier_block_find(rows, &start, &size))
        bytes = (size_t)(start + size - (const char *)rows);
    enter();
    for (size_t k = 0, count = bytes / sizeof *row; k < count; k++) {
        size_t part = row_bytes(row[k], k + 1 < count ? row[k + 1] : NULL);
        if (!part)
            continue;
        joined = grown(joined, total + part);
        memcpy(joined + total, row[k], part);
        total += part;
        length = part / element;
    }
    Slot *slot = slot_for(site, name);
    slot->kind = kind;
    slot->element = element;
    slot->rank = 1;
    slot->lengths[0] = length;
    add(slot, joined, total);
    leave();
    free(joined);
}

void cuvier_watch_rounding(int kind)
{
    if (strchr("fdlFDL", kind))
        __atomic_store_n(&rounding, 1, __ATOMIC_RELAXED);
}

void cuvier_watch_global(const char *name, int kind, size_t element, const void *data, size_t bytes, int rank, ...)
{
    va_list lengths;
    globals = grown(globals, (global_count + 1) * sizeof *globals);
    Global *global = memset(&globals[global_count++], 0, sizeof *globals);
    global->identity.name = name;
    global->data = data;
    global->bytes = bytes;
    va_start(lengths, rank);
    describe(&global->identity, kind, element, rank, lengths);
    va_end(lengths);
}

/* Objects that are no numbers may hold addresses and padding: they are known as blocks only. */
static void record_global(const Global *global)
{
    if (strchr("bp", global->identity.kind))
        return;
    Slot *slot = slot_for("", global->identity.name);
    slot->kind = global->identity.kind;
    slot->element = global->identity.element;
    slot->rank = global->identity.rank;
    memcpy(slot->lengths, global->identity.lengths, sizeof slot->lengths);
    add(slot, global->data, global->bytes);
}

static void write_slot(FILE *file, const Slot *slot)
{
    fprintf(file, "slot %c %zu %zu %zu %zu %zu %ld %d", slot->kind, slot->element, slot->executions,
            slot->rounded < slot->executions ? slot->rounded : slot->executions, slot->first.bytes,
            slot->last.bytes, slot->offset, slot->rank);
    for (int k = 0; k < slot->rank && k < MOST_DIMENSIONS; k++)
        fprintf(file, " %zu", slot->lengths[k]);
    fprintf(file, " %s %s\n", *slot->site ? slot->site : "-", slot->name);
    fwrite(slot->first.data, 1, slot->first.bytes, file);
    fwrite(slot->last.data, 1, slot->last.bytes, file);
    fwrite(slot->hashes, sizeof *slot->hashes, slot->executions, file);
}

static void write_finding(const char *message, void *file)
{
    fprintf(file, "guard %s\n", message);
}

static void write_record(void)
{
    const char *path = getenv("CUVIER_WATCH_FILE");
    FILE *file = path && getpid() == owner ? fopen(path, "wb") : NULL;
    if (!file)
        return;
    for (size_t k = 0; k < global_count; k++)
        record_global(&globals[k]);
    for (size_t k = 0; k < slot_count; k++)
        write_slot(file, &slots[k]);
    cuvier_block_findings(write_finding, file);
    fprintf(file, "end %d\n", rounding);
    fclose(file);
}

__attribute__((constructor(101))) static void start(void)
{
    owner = getpid();
    atexit(write_record);
}

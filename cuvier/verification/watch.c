/* The recorder behind watch.h: one slot per (kernel site, variable) with the first and the last state, and
 * one hash per recorded execution.
 *
 * The file: one line of text per slot,
 *     slot KIND ELEMENT EXECUTIONS SAMPLES ROUNDED FIRST LAST OFFSET RANK LENGTH.. FLOATS FLOAT.. SITE NAME
 * (SAMPLES: how many executions were recorded; ROUNDED: the first execution after which values may differ by
 * rounding; FIRST, LAST: bytes of the two states; OFFSET: index of the first recorded element, counted from the
 * pointer; FLOAT: offset, size and kind of the numbers within a structure), followed by the two states, and the
 * numbers and hashes of the recorded executions, as they lie in memory; then `guard MESSAGE` lines, and `end ROUNDED`. */
#include "watch_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_DIMENSIONS = 8, MOST_ADDRESSES = 16, MOST_FLOATS = 16 };

typedef struct {
    size_t offset, bytes;
    int kind;
} Float;

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
    size_t executions, samples, room, rounded;
    unsigned long long *hashes; /* two words per sample: the execution, and its hash */
    int float_count;
    Float floats[MOST_FLOATS];
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
static __thread int address_count; /* what cuvier_watch_addresses has said */
static __thread size_t address_places[MOST_ADDRESSES][2];
static __thread int float_count; /* what cuvier_watch_floats has said */
static __thread Float float_places[MOST_FLOATS];


static Slot *slot_for(const char *site, const char *name)
{
    for (size_t k = 0; k < slot_count; k++)
        if (same_text(slots[k].site, site) && same_text(slots[k].name, name))
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

void cuvier_watch_floats(int count, ...)
{
    va_list places;
    va_start(places, count);
    float_count = count < MOST_FLOATS ? count : MOST_FLOATS;
    for (int k = 0; k < float_count; k++) {
        float_places[k].offset = va_arg(places, size_t);
        float_places[k].bytes = va_arg(places, size_t);
        float_places[k].kind = va_arg(places, int);
    }
    va_end(places);
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

/* The numbers of what is recorded, if it is a structure. */
static void note_floats(Slot *slot)
{
    slot->float_count = float_count;
    memcpy(slot->floats, float_places, sizeof slot->floats);
    float_count = 0;
}

/* The number of the execution that is recorded; the site pays for it. */
static size_t charge(Slot *slot, size_t bytes)
{
    Site *site = site_named(slot->site);
    if (!site)
        return slot->executions++;
    site->cost += bytes + CALL_COST;
    slot->executions = site->executions;
    return site->executions - 1;
}

static void add_sample(Slot *slot, size_t execution, unsigned long long hash)
{
    if (slot->samples == slot->room) {
        slot->room = slot->room ? 2 * slot->room : 4;
        slot->hashes = grown(slot->hashes, 2 * slot->room * sizeof *slot->hashes);
    }
    slot->hashes[2 * slot->samples] = execution;
    slot->hashes[2 * slot->samples++ + 1] = hash;
}

/* An execution of the slot's kernel left `bytes` at `data`. */
static void add(Slot *slot, const char *data, size_t bytes)
{
    if (is_nothing_but_addresses(slot->element))
        slot->kind = 'p';
    if (slot->kind == 'p')
        bytes = 0;
    size_t execution = charge(slot, bytes);
    if (rounding && slot->rounded == (size_t)-1)
        slot->rounded = execution;
    State *state = slot->samples ? &slot->last : &slot->first;
    keep(state, data, bytes);
    blank(state, slot->element);
    note_floats(slot);
    add_sample(slot, execution, hash_of(slot->kind, slot->element, state->data, bytes));
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
    for (size_t k = 0, count = rows ? bytes / sizeof *row : 0; k < count; k++) { /* no table: the loop did nothing */
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
    if (strchr("fdlFDLb", kind)) /* structures may have such members */
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

/* How often the kernel of a slot was executed, recorded or not. */
static size_t executions_of(const Slot *slot)
{
    Site *site = site_named(slot->site);
    return site ? site->executions : slot->executions;
}

static void write_slot(FILE *file, const Slot *slot)
{
    size_t executions = executions_of(slot);
    fprintf(file, "slot %c %zu %zu %zu %zu %zu %zu %ld %d", slot->kind, slot->element, executions, slot->samples,
            slot->rounded < executions ? slot->rounded : executions, slot->first.bytes, slot->last.bytes, slot->offset,
            slot->rank);
    for (int k = 0; k < slot->rank && k < MOST_DIMENSIONS; k++)
        fprintf(file, " %zu", slot->lengths[k]);
    fprintf(file, " %d", slot->float_count);
    for (int k = 0; k < slot->float_count; k++)
        fprintf(file, " %zu %zu %d", slot->floats[k].offset, slot->floats[k].bytes, slot->floats[k].kind);
    fprintf(file, " %s %s\n", *slot->site ? slot->site : "-", slot->name);
    fwrite(slot->first.data, 1, slot->first.bytes, file);
    fwrite(slot->last.data, 1, slot->last.bytes, file);
    fwrite(slot->hashes, 2 * sizeof *slot->hashes, slot->samples, file);
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
    start_sites();
    atexit(write_record);
}

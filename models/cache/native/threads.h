/* The threads of a set of active blocks: their accesses in order, warps, and what a warp asks for next. */
#ifndef CUVIER_CACHE_THREADS_H
#define CUVIER_CACHE_THREADS_H

#include "level.h"

enum { LANES = 32, REQUESTS = 2 * LANES, DONE = 0x10000 };

/* A line that a warp asks for in one instruction. */
struct request {
    uint64_t number;
    uint64_t low, high; /* the bytes of it, inclusive */
    uint8_t sectors, was_resident;
};

struct warp {
    const struct record *next[LANES], *end[LANES];
    uint32_t lanes, block;
    uint32_t outstanding; /* its misses in flight */
    struct request requests[REQUESTS];
    uint32_t count, at; /* of the instruction that it is in */
    uint32_t id; /* of that instruction's reference */
    uint32_t latency;
    int writes;
    uint64_t tried; /* it was sent away when so much had happened on its core; 0: it was not */
};

/* A block of the trace: its records, and how many threads it has. */
struct part {
    const struct record *first;
    uint64_t number;
    uint32_t threads;
};

/* Sorts the accesses of a block by thread, in their order; the thread's number gives way to that of the barriers
 * before it. `ends` gets where each thread's end. */
static void sort_threads(const struct part *part, struct record *sorted, uint64_t *ends)
{
    uint64_t sum = 0;
    uint32_t barriers = 0;
    memset(ends, 0, part->threads * sizeof *ends);
    for (uint64_t i = 0; i < part->number; i++)
        if (part->first[i].reference < BARRIER)
            ends[part->first[i].thread]++;
    for (uint32_t i = 0; i < part->threads; i++) {
        uint64_t own = ends[i];
        ends[i] = sum;
        sum += own;
    }
    for (uint64_t i = 0; i < part->number; i++) {
        const struct record *record = &part->first[i];
        if (record->reference == BARRIER) {
            barriers += barriers + 1 < DONE;
        } else {
            struct record *place = &sorted[ends[record->thread]++];
            *place = *record;
            place->thread = (uint16_t)barriers;
        }
    }
}

/* The barriers before what the warp does next; DONE at its end. */
static uint32_t barriers_before(const struct warp *warp)
{
    uint32_t least = DONE;
    for (uint32_t i = 0; i < warp->lanes; i++)
        if (warp->next[i] < warp->end[i] && warp->next[i]->thread < least)
            least = warp->next[i]->thread;
    return least;
}

/* The lane whose instruction is next: of those before the fewest barriers, the one with the lowest address of code,
 * which lets lanes meet again behind a branch. */
static uint32_t leader(const struct warp *warp, const uint64_t *code)
{
    uint32_t barriers = barriers_before(warp), found = 0;
    uint64_t lowest = ~0ull;
    for (uint32_t i = 0; i < warp->lanes; i++) {
        const struct record *next = warp->next[i];
        if (next < warp->end[i] && next->thread == barriers && code[next->reference] < lowest) {
            lowest = code[next->reference];
            found = i;
        }
    }
    return found;
}

static void ask_for(struct warp *warp, const struct level *level, uint64_t low, uint64_t high, int coalesce)
{
    uint64_t number = low >> level->line_shift;
    uint8_t sectors = sectors_of(level, low, high);
    for (uint32_t i = 0; coalesce && i < warp->count; i++) {
        struct request *request = &warp->requests[i];
        if (request->number != number)
            continue;
        request->sectors |= sectors;
        request->low = low < request->low ? low : request->low;
        request->high = high > request->high ? high : request->high;
        return;
    }
    warp->requests[warp->count++] = (struct request){number, low, high, sectors, 0};
}

static void ask_lane(struct warp *warp, const struct level *level, const struct record *access, int coalesce)
{
    uint64_t size = access->kind & SIZE, last = access->address + (size ? size - 1 : 0);
    uint64_t border = access->address | (level->shape.line_bytes - 1);
    if (last <= border) {
        ask_for(warp, level, access->address, last, coalesce);
    } else {
        ask_for(warp, level, access->address, border, coalesce);
        ask_for(warp, level, border + 1, last, coalesce);
    }
}

/* Makes the requests of the warp's next instruction: those of the lanes that are at it, combined by lines. */
static void next_instruction(struct warp *warp, const struct level *level, const uint64_t *code, int coalesce,
                             uint64_t *asked)
{
    const struct record first = *warp->next[leader(warp, code)];
    warp->count = warp->at = warp->latency = 0;
    warp->tried = 0;
    warp->id = first.reference;
    warp->writes = (first.kind & WRITE) != 0;
    for (uint32_t i = 0; i < warp->lanes; i++) {
        const struct record *next = warp->next[i];
        if (next == warp->end[i] || next->reference != first.reference || next->thread != first.thread)
            continue;
        ask_lane(warp, level, next, coalesce);
        warp->next[i]++;
        ++*asked;
    }
}

#endif

/* One access after the other through the caches of a processor: each level sees what the one before it misses. */
#ifndef CUVIER_CACHE_SEQUENTIAL_H
#define CUVIER_CACHE_SEQUENTIAL_H

#include "level.h"

/* One access with all its lines: it is a miss where one of them is, and is counted once. Gives back whether it goes
 * on to the next level, which it does also where a sample leaves it out. */
static int access_level(struct level *level, const struct record *record)
{
    uint64_t size = record->kind & SIZE, last = record->address + (size ? size - 1 : 0);
    uint64_t number = record->address >> level->line_shift, end = last >> level->line_shift;
    struct look worst = {NULL, 0, 0, HIT};
    int seen = 0;
    for (uint64_t at = number; at <= end; at++) {
        if (!sampled(level, at))
            continue;
        uint64_t low = at == number ? record->address : at << level->line_shift;
        uint64_t high = at == end ? last : low | (level->shape.line_bytes - 1);
        uint8_t sectors = sectors_of(level, low, high);
        struct look look = look_at(level, at, sectors, 0);
        if (look.kind != HIT && !look.resident)
            look.line->refill = look.kind;
        look.line->asked |= sectors;
        take_effect(level, look.line, sectors, look.resident);
        if (!seen++ || worst.kind == HIT)
            worst = look;
    }
    if (seen)
        count(level, record->reference, number, &worst);
    return !seen || worst.kind != HIT;
}

/* Runs a trace; instructions go to the level `instructions`, where it is one (below `count`), and then to the levels
 * after the first. */
static void run_sequential(struct level *levels, uint32_t count, uint32_t instructions, const struct record *records,
                           uint64_t number)
{
    uint32_t shared = instructions < count ? count - 1 : count;
    for (uint64_t i = 0; i < number; i++) {
        uint32_t first = records[i].kind & INSTRUCTION ? instructions : 0;
        if (first >= count || !access_level(&levels[first], &records[i]))
            continue;
        for (uint32_t next = 1; next < shared && access_level(&levels[next], &records[i]);)
            next++;
    }
}

#endif

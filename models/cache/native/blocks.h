/* The blocks of a trace, and which of them are active together on a core. */
#ifndef CUVIER_CACHE_BLOCKS_H
#define CUVIER_CACHE_BLOCKS_H

#include "gpu.h"

/* The blocks of a trace, in `parts`, which the caller frees; gives back their number. */
static uint64_t find_parts(const struct record *records, uint64_t number, struct part **parts)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < number; i++)
        count += records[i].reference == BLOCK;
    struct part *part = *parts = room(count + 1, sizeof **parts);
    for (uint64_t i = 0; i < number; i++) {
        if (records[i].reference == BLOCK) {
            (++part)[-1].first = &records[i + 1];
            continue;
        }
        part[-1].number++;
        if (records[i].reference != BARRIER && records[i].thread >= part[-1].threads)
            part[-1].threads = records[i].thread + 1u;
    }
    return count;
}

/* The memory of a set of active blocks. */
struct set {
    struct active active;
    struct record *sorted;
    uint64_t *ends;
    uint64_t number, end; /* of records; the first block after it */
    uint32_t threads, blocks;
};

/* The blocks from `next` on that are active together: one in `stride` belongs to this core. */
static void choose_set(const struct machine *machine, const struct part *parts, uint64_t count, uint64_t next,
                       uint32_t stride, struct set *set)
{
    *set = (struct set){.end = next};
    for (; set->end < count && set->blocks < machine->active_blocks && set->blocks < 256; set->end += stride) {
        const struct part *part = &parts[set->end];
        if (set->blocks && set->threads + part->threads > machine->active_threads)
            break;
        set->blocks++;
        set->threads += part->threads;
        set->number += part->number;
    }
}

static void open_set(struct core *core, struct set *set)
{
    uint32_t lanes = core->machine->lanes ? core->machine->lanes : 1;
    set->sorted = room(set->number, sizeof *set->sorted);
    set->ends = room(set->threads, sizeof *set->ends);
    core->queue_room = set->threads / lanes + set->blocks + 1;
    core->warps = room(core->queue_room, sizeof *core->warps);
    core->queue = room(core->queue_room, sizeof *core->queue);
    core->head = core->ready = 0;
}

static void close_set(struct core *core, struct set *set)
{
    free(set->sorted);
    free(set->ends);
    free(core->warps);
    free(core->queue);
}

/* Runs the core's blocks, set after set. */
static void run_core(struct core *core, const struct part *parts, uint64_t count, uint32_t first)
{
    uint32_t stride = core->machine->lanes ? core->machine->cores : 1, made = 0;
    struct set set = {.end = first};
    for (uint64_t next = first; next < count; next = set.end, made = 0) {
        choose_set(core->machine, parts, count, next, stride, &set);
        open_set(core, &set);
        struct record *place = set.sorted;
        for (; next < set.end; next += stride) {
            sort_threads(&parts[next], place, set.ends);
            if (core->machine->lanes)
                made = add_warps(core, &set.active, &parts[next], place, set.ends, made);
            else
                run_threads(core, place, parts[next].threads ? set.ends[parts[next].threads - 1] : 0);
            place += parts[next].number;
        }
        run_active(core, &set.active);
        close_set(core, &set);
    }
}

#endif

/* A GPU: blocks on cores, warps of a set of active blocks in turns, and the cache that all cores share. */
#ifndef CUVIER_CACHE_GPU_H
#define CUVIER_CACHE_GPU_H

#include "core.h"

/* A set of active blocks: how many of their warps have come to a barrier, and are not in the queue. */
struct active {
    uint32_t barriers[256], warps[256], arrived[256], first[256];
    uint32_t count;
};

static void write_past(struct core *core, const struct warp *warp)
{
    for (uint32_t i = 0; i < warp->count; i++) {
        if (core->level.shape.writes == EVICT)
            drop(&core->level, warp->requests[i].number);
        pass_on(core, warp, &warp->requests[i]);
    }
    core->time++;
}

/* A warp that has to ask again remembers which lines were there when it was sent away. */
static void remember(struct core *core, struct warp *warp)
{
    for (uint32_t i = warp->at; i < warp->count; i++) {
        struct line *line = lines_place(&core->level.stack.lines, warp->requests[i].number + 1);
        if (line->key && is_resident(core, line))
            warp->requests[i].was_resident = 1;
    }
}

/* The warp's requests, one at each time; 0 where it was sent away. */
static int ask(struct core *core, uint32_t number)
{
    struct warp *warp = &core->warps[number];
    if (warp->writes && core->level.shape.writes != ALLOCATE) {
        write_past(core, warp);
        return 1;
    }
    for (; warp->at < warp->count; warp->at++) {
        catch_up(core);
        if (warp->tried == core->changes) { /* in vain again */
            core->time++;
            return 0;
        }
        int done = issue(core, number, &warp->requests[warp->at]);
        core->time++;
        if (!done) {
            if (!warp->tried)
                remember(core, warp);
            warp->tried = core->changes;
            return 0;
        }
    }
    return 1;
}

/* The last warp of a block to come to a barrier opens it for all. */
static void arrive(struct core *core, struct active *active, uint32_t block)
{
    if (++active->arrived[block] < active->warps[block])
        return;
    uint32_t least = DONE, first = active->first[block];
    for (uint32_t i = first; i < first + active->warps[block]; i++) {
        uint32_t own = barriers_before(&core->warps[i]);
        least = own < least ? own : least;
    }
    active->barriers[block] = least;
    for (uint32_t i = first; least != DONE && i < first + active->warps[block]; i++)
        if (barriers_before(&core->warps[i]) == least) {
            active->arrived[block]--;
            push(core, i);
        }
}

/* Where the warp goes after an instruction: to its barrier, to wait for its answer, or behind the other warps. */
static void go_on(struct core *core, struct active *active, uint32_t number)
{
    struct warp *warp = &core->warps[number];
    warp->count = warp->at = 0;
    if (barriers_before(warp) > active->barriers[warp->block])
        arrive(core, active, warp->block);
    else if (core->machine->diverges && warp->latency > 0 && !warp->writes)
        wheel_add(&core->wheel, core->time + warp->latency, (struct event){number, NONE, NONE, 0, 1});
    else
        push(core, number);
}

static void turn(struct core *core, struct active *active, uint32_t number)
{
    struct warp *warp = &core->warps[number];
    if (warp->at == warp->count) {
        uint64_t asked = 0;
        next_instruction(warp, &core->level, core->code, core->machine->coalesces != 0, &asked);
        core->level.tallies[core->references[warp->id]].turns++;
        core->level.tallies[core->references[warp->id]].asked += asked;
    }
    if (ask(core, number))
        go_on(core, active, number);
    else
        push(core, number);
}

static void run_active(struct core *core, struct active *active)
{
    while (core->ready || core->wheel.waiting) {
        catch_up(core);
        if (core->ready)
            turn(core, active, pop(core));
        else
            core->time++;
    }
}

/* The warps of a block, whose threads are sorted. */
static uint32_t add_warps(struct core *core, struct active *active, const struct part *part,
                          const struct record *sorted, const uint64_t *ends, uint32_t made)
{
    uint32_t block = active->count++, lanes = core->machine->lanes;
    active->first[block] = made;
    active->barriers[block] = DONE;
    active->arrived[block] = 0;
    for (uint32_t thread = 0; thread < part->threads; thread += lanes, made++) {
        struct warp *warp = &core->warps[made];
        memset(warp, 0, sizeof *warp);
        warp->block = block;
        for (uint32_t i = thread; i < part->threads && i < thread + lanes; i++) {
            warp->next[warp->lanes] = sorted + (i ? ends[i - 1] : 0);
            warp->end[warp->lanes++] = sorted + ends[i];
        }
    }
    active->warps[block] = made - active->first[block];
    for (uint32_t i = active->first[block]; i < made; i++)
        arrive(core, active, block);
    return made;
}

/* Without warps: thread after thread. */
static void run_threads(struct core *core, const struct record *sorted, uint64_t number)
{
    for (uint64_t i = 0; i < number; i++) {
        struct record record = sorted[i];
        record.reference = core->references[record.reference];
        int writes = (record.kind & WRITE) && core->level.shape.writes != ALLOCATE;
        core->level.tallies[record.reference].asked++;
        if (writes && core->level.shape.writes == EVICT)
            drop(&core->level, record.address >> core->level.line_shift);
        if (writes || access_level(&core->level, &record)) {
            struct warp warp = {.id = sorted[i].reference, .writes = (record.kind & WRITE) != 0};
            uint64_t last = record.address + (record.kind & SIZE) - 1;
            pass_on(core, &warp, &(struct request){.low = record.address, .high = last});
        }
        core->time++;
    }
}

#endif

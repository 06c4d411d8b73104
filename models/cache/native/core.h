/* One core of a GPU: its cache in time, with requests in flight and the registers that hold them. */
#ifndef CUVIER_CACHE_CORE_H
#define CUVIER_CACHE_CORE_H

#include "events.h"
#include "threads.h"

enum { QUANTILES = 4096 };

struct machine {
    uint32_t cores, simulated; /* those that are there, and those that are run: the first ones */
    uint32_t lanes; /* of a warp; 0: no warps, threads one after the other */
    uint32_t active_blocks, active_threads; /* at the same time on a core, at most */
    uint32_t registers, registers_of_warp; /* miss-status holding registers; 0: any number */
    uint32_t hit_latency, miss_latency, deviation; /* in time steps; the deviation of a half-normal distribution */
    uint32_t clips; /* a request for a line in flight is answered when that line arrives */
    uint32_t diverges; /* a warp waits for its answer; else warps take turns */
    uint32_t coalesces;
    uint64_t seed;
};

/* What a request did, for those who look at single ones. */
struct step {
    uint64_t time, number, effect;
    uint32_t distance, kind;
};

/* A request that goes on to the next level. */
struct passed {
    uint64_t time, core;
    struct record record;
};

struct core {
    const struct machine *machine;
    struct level level;
    struct wheel wheel;
    struct warp *warps;
    uint64_t time, done; /* events before `done` have happened */
    uint64_t changes; /* events and misses so far, and 1: what sent a warp away may have changed with them */
    uint32_t registers; /* in use */
    uint32_t number;
    uint64_t random;
    const uint16_t *quantiles;
    const uint32_t *references; /* of the ids of the trace */
    const uint64_t *code;
    struct passed *passed;
    uint64_t passing, passing_room;
    struct step *steps;
    uint64_t step, steps_room;
    uint32_t *queue, head, ready, queue_room; /* warps that can go on, in a ring */
};

static void push(struct core *core, uint32_t warp)
{
    core->queue[(core->head + core->ready++) % core->queue_room] = warp;
}

static uint32_t pop(struct core *core)
{
    uint32_t warp = core->queue[core->head];
    core->head = (core->head + 1) % core->queue_room;
    core->ready--;
    return warp;
}

static uint32_t miss_latency(struct core *core)
{
    if (core->machine->deviation == 0)
        return core->machine->miss_latency;
    core->random ^= core->random << 13;
    core->random ^= core->random >> 7;
    core->random ^= core->random << 17;
    return core->machine->miss_latency + core->quantiles[core->random % QUANTILES];
}

static int is_resident(struct core *core, const struct line *line)
{
    if (core->level.tags)
        return in_tags(tags_of(&core->level, line->key - 1), core->level.shape.ways, line->key);
    return stack_distance(&core->level.stack, line) < core->level.shape.lines;
}

static void happen(struct core *core, const struct event *event)
{
    core->changes++;
    if (event->wakes) {
        push(core, (uint32_t)event->number);
        return;
    }
    struct line *line = lines_find(&core->level.stack.lines, event->number);
    if (event->warp != NONE && --line->pending == 0)
        core->registers--;
    if (event->warp != NONE && core->warps[event->warp].outstanding)
        core->warps[event->warp].outstanding--;
    take_effect(&core->level, line, event->sectors, is_resident(core, line));
}

/* Lets happen what was to happen before now. */
static void catch_up(struct core *core)
{
    struct event event;
    for (; core->done < core->time; core->done++)
        while (wheel_take(&core->wheel, core->done, &event))
            happen(core, &event);
}

static void pass_on(struct core *core, const struct warp *warp, const struct request *request)
{
    if (core->passing == core->passing_room) {
        core->passing_room = core->passing_room ? 2 * core->passing_room : 1 << 12;
        core->passed = realloc(core->passed, core->passing_room * sizeof *core->passed);
        if (core->passed == NULL)
            abort();
    }
    uint16_t size = (uint16_t)(request->high - request->low + 1);
    struct record record = {request->low, core->references[warp->id], size, 0};
    record.kind |= warp->writes ? WRITE : 0;
    core->passed[core->passing] = (struct passed){core->time, core->number, record};
    core->passing++;
}

static void note_step(struct core *core, const struct request *request, const struct look *look, uint64_t effect)
{
    if (core->step < core->steps_room)
        core->steps[core->step++] =
            (struct step){core->time, request->number, effect, look->distance, look->kind};
}

/* Is there a register for a miss of the warp? One that merges with a line in flight needs none. */
static int has_register(const struct core *core, const struct warp *warp, const struct line *line)
{
    const struct machine *machine = core->machine;
    if (line->pending)
        return 1;
    return (!machine->registers || core->registers < machine->registers) &&
           (!machine->registers_of_warp || warp->outstanding < machine->registers_of_warp);
}

static void miss(struct core *core, uint32_t warp, const struct request *request, struct look *look, uint64_t *effect)
{
    struct line *line = look->line;
    core->changes++;
    int merges = look->kind == LATENCY;
    if (merges && core->machine->clips && *effect > line->arrives)
        *effect = line->arrives;
    if (!merges) {
        pass_on(core, &core->warps[warp], request);
        if (request->was_resident)
            look->kind = MSHR;
        if (!look->resident)
            line->refill = (uint8_t)look->kind;
    }
    if (line->pending++ == 0)
        core->registers++;
    core->warps[warp].outstanding++;
    line->arrives = *effect > line->arrives ? *effect : line->arrives;
}

/* One request at the present time; 0 where it has to be asked again, for want of a register. */
static int issue(struct core *core, uint32_t number, const struct request *request)
{
    struct warp *warp = &core->warps[number];
    struct look look = look_at(&core->level, request->number, request->sectors, core->time);
    if (look.kind != HIT && !has_register(core, warp, look.line))
        return 0;
    uint32_t latency = look.kind == HIT ? core->machine->hit_latency : miss_latency(core);
    uint64_t effect = core->time + latency;
    if (look.kind != HIT)
        miss(core, number, request, &look, &effect);
    look.line->asked |= request->sectors;
    int32_t whose = look.kind == HIT ? NONE : (int32_t)number;
    wheel_add(&core->wheel, effect, (struct event){request->number, NONE, whose, request->sectors, 0});
    count(&core->level, core->references[warp->id], request->number, &look);
    note_step(core, request, &look, effect);
    latency = (uint32_t)(effect - core->time);
    warp->latency = latency > warp->latency ? latency : warp->latency;
    return 1;
}

#endif

/* The cache model: what Python calls. */
#include <math.h>

#include "sequential.h"
#include "blocks.h"

struct level *cache_open(const struct shape *shape)
{
    struct level *level = room(1, sizeof *level);
    level_open(level, shape);
    return level;
}

void cache_close(struct level *level)
{
    level_close(level);
    free(level);
}

void cache_count(struct level *level, struct tally *tallies, uint64_t (*groups)[2])
{
    level->tallies = tallies;
    level->groups = groups;
}

void cache_sequential(struct level **levels, uint32_t count, uint32_t instructions, const struct record *records,
                      uint64_t number)
{
    struct level copies[8];
    for (uint32_t i = 0; i < count; i++)
        copies[i] = *levels[i];
    run_sequential(copies, count, instructions, records, number);
    for (uint32_t i = 0; i < count; i++)
        *levels[i] = copies[i];
}

/* A half-normal distribution of that deviation, by random numbers of which every run has the same. */
static void fill_quantiles(uint16_t *quantiles, uint32_t deviation)
{
    for (int i = 0; i < QUANTILES; i++) {
        double low = 0, high = 8; /* where erf(x / sqrt 2) is the share */
        for (int step = 0; step < 40; step++) {
            double middle = (low + high) / 2;
            *(erf(middle / sqrt(2)) < (i + 0.5) / QUANTILES ? &low : &high) = middle;
        }
        quantiles[i] = (uint16_t)fmin(low * deviation + 0.5, TIMES / 2);
    }
}

/* What a core has passed on, from the one that is next. */
struct queue {
    const struct passed *next, *end;
};

static int earlier(const struct queue *one, const struct queue *other)
{
    return one->next->time < other->next->time || (one->next->time == other->next->time && one->next < other->next);
}

/* Moves a queue of a heap down to its place. */
static void sink(struct queue *heap, uint32_t at, uint32_t count)
{
    for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && earlier(&heap[child + 1], &heap[child]))
            child++;
        if (earlier(&heap[at], &heap[child]))
            return;
        struct queue moved = heap[at];
        heap[at] = heap[child];
        heap[child] = moved;
    }
}

/* A queue for each core, in the order of time. */
static uint32_t split(const struct passed *passed, uint64_t number, struct queue *heap)
{
    uint32_t count = 0;
    for (uint64_t first = 0, end; first < number; first = end) {
        for (end = first + 1; end < number && passed[end].core == passed[first].core;)
            end++;
        heap[count++] = (struct queue){&passed[first], &passed[end]};
    }
    return count;
}

/* What cores have passed on, in the order of time, through the cache that they share. */
static void run_shared(struct level *shared, const struct passed *passed, uint64_t number, uint32_t cores)
{
    struct queue *heap = room(cores, sizeof *heap);
    uint32_t count = split(passed, number, heap);
    for (uint32_t i = count / 2; i-- > 0;)
        sink(heap, i, count);
    while (count > 0) {
        const struct record *record = &heap[0].next->record;
        shared->tallies[record->reference].asked++;
        access_level(shared, record);
        if (++heap[0].next == heap[0].end)
            heap[0] = heap[--count];
        sink(heap, 0, count);
    }
    free(heap);
}

static void run_cores(struct core *core, const struct shape *shape, const struct part *parts, uint64_t count,
                      uint64_t (*cores)[2])
{
    uint64_t groups[GROUPS][2];
    struct level counted = core->level;
    for (uint32_t i = 0; i < core->machine->simulated; i++) {
        level_open(&core->level, shape);
        memset(groups, 0, sizeof groups);
        cache_count(&core->level, counted.tallies, groups);
        core->time = core->done = core->registers = 0;
        core->changes = 1;
        wheel_open(&core->wheel);
        core->number = i;
        run_core(core, parts, count, i);
        for (uint32_t k = 0; k < GROUPS; k++)
            cores[i][0] += groups[k][0], cores[i][1] += groups[k][1];
        free(core->wheel.events);
        level_close(&core->level);
    }
}

/* Runs one launch. `references` are those of the ids in the trace, `code` their places in the program; `cores` gets
 * accesses and misses of every core that is run; `steps` the first requests, maybe none. Gives back the number of
 * requests noted there. */
uint64_t cache_gpu(const struct machine *machine, const struct shape *shape, struct tally *tallies,
                   struct level *shared, const struct record *records, uint64_t number,
                   const uint32_t *references, const uint64_t *code, uint64_t (*cores)[2], struct step *steps,
                   uint64_t steps_room)
{
    uint16_t quantiles[QUANTILES];
    struct part *parts;
    uint64_t count = find_parts(records, number, &parts);
    struct core *core = room(1, sizeof *core);
    fill_quantiles(quantiles, machine->deviation);
    *core = (struct core){.machine = machine, .random = machine->seed | 1, .quantiles = quantiles,
                          .references = references, .code = code, .steps = steps, .steps_room = steps_room};
    core->level.tallies = tallies;
    run_cores(core, shape, parts, count, cores);
    if (shared)
        run_shared(shared, core->passed, core->passing, machine->simulated);
    uint64_t noted = core->step;
    free(core->passed);
    free(core);
    free(parts);
    return noted;
}

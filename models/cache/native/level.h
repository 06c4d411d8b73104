/* One cache: its stack of all lines, its sets, and the kinds of its misses. */
#ifndef CUVIER_CACHE_LEVEL_H
#define CUVIER_CACHE_LEVEL_H

#include "stack.h"

enum writes { ALLOCATE, THROUGH, EVICT }; /* a write takes a line; changes one that is there; drops it */

struct shape {
    uint32_t line_bytes, sector_bytes; /* powers of two; equal: no sectors */
    uint32_t lines;
    uint32_t sets, ways; /* ways 0: fully associative */
    uint32_t hashed; /* the set's index is made of the parities below; else the line's number modulo the sets */
    uint32_t writes;
    uint32_t sampled; /* one of so many sets, or lines of a fully associative cache, is looked at; a power of two */
    uint64_t parities[16]; /* for each bit of the index, the bits of the address that it is the parity of */
};

struct level {
    struct shape shape;
    struct stack stack;
    uint64_t *tags; /* of every set, the lines used last first, as keys; 0: free */
    unsigned line_shift, sector_shift;
    struct tally *tallies; /* per reference */
    uint64_t (*groups)[2]; /* accesses and misses of GROUPS samples, for the error */
};

static unsigned log_of(uint32_t power) { return (unsigned)__builtin_ctz(power); }

static void level_open(struct level *level, const struct shape *shape)
{
    memset(level, 0, sizeof *level);
    level->shape = *shape;
    stack_open(&level->stack);
    if (shape->ways)
        level->tags = room((size_t)shape->sets * shape->ways, sizeof *level->tags);
    level->line_shift = log_of(shape->line_bytes);
    level->sector_shift = log_of(shape->sector_bytes);
}

static void level_close(struct level *level)
{
    stack_close(&level->stack);
    free(level->tags);
}

static uint32_t set_of(const struct level *level, uint64_t number)
{
    if (!level->shape.hashed)
        return (uint32_t)(number % level->shape.sets);
    uint32_t index = 0;
    for (unsigned bit = 0; 1u << bit < level->shape.sets; bit++)
        index |= (uint32_t)__builtin_parityll(number << level->line_shift & level->shape.parities[bit]) << bit;
    return index;
}

static inline uint64_t *tags_of(const struct level *level, uint64_t number)
{
    return level->tags + (size_t)set_of(level, number) * level->shape.ways;
}

/* What sampling goes by: whole sets, or single lines. */
static inline uint64_t sample_of(const struct level *level, uint64_t number)
{
    return mixed(level->shape.ways ? set_of(level, number) + 1 : number + 1) >> 8;
}

static inline int sampled(const struct level *level, uint64_t number)
{
    return level->shape.sampled == 1 || sample_of(level, number) % level->shape.sampled == 0;
}

static int in_tags(const uint64_t *tags, uint32_t ways, uint64_t key)
{
    for (uint32_t i = 0; i < ways; i++)
        if (tags[i] == key)
            return 1;
    return 0;
}

/* The sectors of a line that a range of bytes asks for, as bits. */
static inline uint8_t sectors_of(const struct level *level, uint64_t first, uint64_t last)
{
    uint64_t inside = level->shape.line_bytes - 1;
    unsigned low = (unsigned)((first & inside) >> level->sector_shift);
    unsigned high = (unsigned)((last & inside) >> level->sector_shift);
    return (uint8_t)((2u << high) - (1u << low));
}

/* A look at a line, which changes nothing in the stack. */
struct look {
    struct line *line;
    uint32_t distance; /* among all lines: scaled up where a sample is looked at */
    int resident;
    enum kind kind; /* or HIT */
};

static struct look look_at(struct level *level, uint64_t number, uint8_t sectors, uint64_t time)
{
    struct look look = {lines_find(&level->stack.lines, number), 0, 0, HIT};
    const struct line *line = look.line;
    look.distance = stack_distance(&level->stack, line);
    if (look.distance != NEVER)
        look.distance *= level->shape.sampled;
    look.resident = level->tags ? in_tags(tags_of(level, number), level->shape.ways, number + 1)
                                : look.distance < level->shape.lines;
    if (look.resident && (line->valid & sectors) == sectors)
        return look;
    if (line->pending && line->arrives >= time)
        look.kind = LATENCY;
    else if ((line->asked & sectors) != sectors)
        look.kind = COMPULSORY;
    else if (look.resident)
        look.kind = line->refill;
    else
        look.kind = look.distance >= level->shape.lines ? CAPACITY : ASSOCIATIVITY;
    return look;
}

/* Moves the line to the front of its set, in place of the one used longest ago where it is new. */
static void use_tag(uint64_t *tags, uint32_t ways, uint64_t key)
{
    uint32_t at = 0;
    while (at + 1 < ways && tags[at] != key)
        at++;
    memmove(tags + 1, tags, at * sizeof *tags);
    tags[0] = key;
}

/* The access takes effect: the line is the one used last. */
static void take_effect(struct level *level, struct line *line, uint8_t sectors, int resident)
{
    if (!resident)
        line->valid = 0;
    line->valid |= sectors;
    if (level->tags)
        use_tag(tags_of(level, line->key - 1), level->shape.ways, line->key);
    stack_use(&level->stack, line);
}

/* A write where writes drop lines. */
static void drop(struct level *level, uint64_t number)
{
    struct line *line = lines_place(&level->stack.lines, number + 1);
    if (line->key)
        line->valid = 0;
}

static void count(struct level *level, uint32_t reference, uint64_t number, const struct look *look)
{
    struct tally *tally = &level->tallies[reference];
    uint64_t *group = level->groups[sample_of(level, number) / level->shape.sampled % GROUPS];
    tally->accesses++;
    group[0]++;
    tally->distances[bucket_of(look->distance)]++;
    if (look->kind != HIT) {
        tally->misses[look->kind]++;
        group[1]++;
    }
}

#endif

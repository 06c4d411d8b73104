/* The lines that were ever asked for: a hash table with open addressing. */
#ifndef CUVIER_CACHE_LINES_H
#define CUVIER_CACHE_LINES_H

#include "records.h"

struct line {
    uint64_t key; /* the line's number and 1; 0: this place is free */
    uint64_t arrives; /* while it is in flight: when it arrives */
    uint32_t last; /* the position of its latest effect in the stack; 0: none */
    uint16_t pending; /* misses that are in flight */
    uint8_t asked, valid; /* sectors, as bits: ever asked for, in the cache */
    uint8_t refill; /* the kind of the miss that brought it in */
};

struct lines {
    struct line *places;
    uint64_t mask, used;
};

static void lines_open(struct lines *lines, uint64_t places)
{
    lines->places = room(places, sizeof *lines->places);
    lines->mask = places - 1;
    lines->used = 0;
}

static struct line *lines_place(const struct lines *lines, uint64_t key)
{
    uint64_t at = mixed(key) & lines->mask;
    while (lines->places[at].key != key && lines->places[at].key != 0)
        at = (at + 1) & lines->mask;
    return &lines->places[at];
}

static void lines_grow(struct lines *lines)
{
    struct lines old = *lines;
    lines_open(lines, 2 * (old.mask + 1));
    lines->used = old.used;
    for (uint64_t i = 0; i <= old.mask; i++)
        if (old.places[i].key != 0)
            *lines_place(lines, old.places[i].key) = old.places[i];
    free(old.places);
}

/* The line, which is made where it is new; earlier results are void then. */
static struct line *lines_find(struct lines *lines, uint64_t number)
{
    struct line *found = lines_place(lines, number + 1);
    if (found->key != 0)
        return found;
    if (2 * ++lines->used > lines->mask) {
        lines_grow(lines);
        found = lines_place(lines, number + 1);
    }
    found->key = number + 1;
    return found;
}

#endif

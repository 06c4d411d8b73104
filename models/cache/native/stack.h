/* The LRU stack of all lines, after Bennett and Kruskal: a bit for each position in time that is the latest of its
 * line, and a Fenwick tree over words of these bits. A distance takes O(log n); memory is proportional to the lines,
 * because positions are numbered anew when they run out. */
#ifndef CUVIER_CACHE_STACK_H
#define CUVIER_CACHE_STACK_H

#include "lines.h"

struct stack {
    struct lines lines;
    uint64_t *bits;
    uint32_t *tree;
    uint32_t words, now, live;
};

static void stack_room(struct stack *stack, uint32_t words)
{
    stack->words = words;
    stack->bits = room(words, sizeof *stack->bits);
    stack->tree = room((size_t)words + 1, sizeof *stack->tree);
    stack->now = 0; /* position 0 stays free */
}

static void stack_open(struct stack *stack)
{
    lines_open(&stack->lines, 1 << 12);
    stack_room(stack, 1 << 7);
    stack->live = 0;
}

static void stack_close(struct stack *stack)
{
    free(stack->lines.places);
    free(stack->bits);
    free(stack->tree);
}

static inline void stack_add(struct stack *stack, uint32_t word, uint32_t amount)
{
    for (uint32_t i = word + 1; i <= stack->words; i += i & -i)
        stack->tree[i] += amount;
}

/* How many lines were used after the position. */
static inline uint32_t stack_after(const struct stack *stack, uint32_t position)
{
    uint32_t word = position / 64, before = 0;
    for (uint32_t i = word; i > 0; i &= i - 1)
        before += stack->tree[i];
    uint64_t upto = stack->bits[word] & ~0ull >> (63 - position % 64);
    return stack->live - before - (uint32_t)__builtin_popcountll(upto);
}

static void stack_put(struct stack *stack, struct line *line)
{
    line->last = ++stack->now;
    stack->bits[line->last / 64] |= 1ull << line->last % 64;
    stack_add(stack, line->last / 64, 1);
}

/* Numbers the positions anew, in their order, with room for as many again. */
static void stack_renumber(struct stack *stack)
{
    uint32_t positions = stack->words * 64;
    struct line **order = room(positions, sizeof *order);
    for (uint64_t i = 0; i <= stack->lines.mask; i++)
        if (stack->lines.places[i].last != 0)
            order[stack->lines.places[i].last] = &stack->lines.places[i];
    free(stack->bits);
    free(stack->tree);
    stack_room(stack, stack->live > positions / 2 ? 2 * stack->words : stack->words);
    for (uint32_t i = 0; i < positions; i++)
        if (order[i] != NULL)
            stack_put(stack, order[i]);
    free(order);
}

/* The number of other lines used since the line was; NEVER where it was not. */
static inline uint32_t stack_distance(const struct stack *stack, const struct line *line)
{
    if (line->last == 0)
        return NEVER;
    return line->last == stack->now ? 0 : stack_after(stack, line->last);
}

/* Makes the line the one used last. */
static void stack_use(struct stack *stack, struct line *line)
{
    if (line->last != 0 && line->last == stack->now)
        return;
    if (stack->now + 1 == stack->words * 64)
        stack_renumber(stack);
    uint32_t old = line->last;
    if (old == 0) {
        stack->live++;
    } else {
        stack->bits[old / 64] &= ~(1ull << old % 64);
        if (old / 64 == (stack->now + 1) / 64) { /* the word keeps its number of bits */
            line->last = ++stack->now;
            stack->bits[line->last / 64] |= 1ull << line->last % 64;
            return;
        }
        stack_add(stack, old / 64, (uint32_t)-1);
    }
    stack_put(stack, line);
}

#endif

/* The run-time system of the oracle: watches every access of an instrumented program and compares what the
   loops do with what was claimed of them.

   All memory of the program (globals, buffers, the stack) lies in one section, so that a byte has a number.  Per byte
   it is known to which object it belongs and whether it holds a value; per byte and active loop, which iterations
   read and wrote it.  A call that does something undefined, or takes too long, is abandoned and says nothing.

   Output, one line each, parts separated by tabs:
     W loop call message     a claim that the call refutes
     S loop trips instances flags...  what was seen of a loop
     U function call why     the call says nothing
     R calls undefined claims                                                                                    */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include "runtime.h"

typedef uint32_t u32;
enum { LEVELS = 7, MEMORY = 1 << 19, STACK = 1 << 16, ARENA = 1 << 16, OBJECTS = 8000, EVENTS = 60000, LOOPS = 4096 };
enum { INVALID, UNINITIALISED, VALUE };
enum { EXPOSED = 1, FLOW = 2, CONFLICT = 4, PLAIN = 8 };
enum { STALE_OK, SEEN = 1, SERIAL = 2, EARLY = 4, EFFECT = 8, REDUCES = 16, PRIVATISES = 32, INDUCES = 64, ARRAYS = 128 };

struct byte { unsigned char state, direct; uint16_t object, poison, stale; };
struct cell { u32 instance, write, read, tuple_write, tuple_read; unsigned char flags, op, size, pad; };
struct induction { u32 instance, iteration; long value, step; int count, bad; };
struct object { const char *name; u32 base, size, birth; char kind, tag; };
struct range { u32 low, high; int kind; };
struct linear { u32 at; int tag, has_step; long step, first; };
struct box { int flags, name, dimensions; u32 base; int object, alone; long low[6], high[6], width[6];
             long least[6], most[6]; int seen; };
struct reduced { int op, tag; u32 count, *at; double *floats; long *totals; int with_n, keeps_last; struct range with[4]; char kept[4][8]; };
struct base { int loop, has_trips, rectangular, ran, hashed; long trips; unsigned long hash; };
struct frame {
    int loop, flags, claimed, kernel, normal, header, nonempty, began, complained, call;
    u32 instance, serial, iteration, tuple;
    u32 count;
    unsigned long hash;
    int ranges_n, boxes_n, reduced_n, bases_n, scalars_n, linear_n;
    struct range ranges[48], scalars[48];
    struct box boxes[40];
    struct reduced reduced[8];
    struct linear linear[8];
    struct base bases[6];
    u32 *touched, touched_n;
    int effect;
};
struct attained { unsigned short chances, times; const char *name; };
struct loop { int flags; u32 trips, instances, checked; const char *told[6]; struct attained attained[40]; };

extern char __start_udata[], __stop_udata[];
static char stack[STACK] USER_DATA __attribute__((aligned(64)));
static char arena[ARENA] USER_DATA __attribute__((aligned(64)));
#define START __start_udata

static struct byte bytes[MEMORY], pristine_bytes[MEMORY];
static struct cell *cells[LEVELS];
static struct induction *inductions[LEVELS];
static struct object objects[OBJECTS];
static struct frame frames[LEVELS];
static struct loop *loops;
static char *pristine, *after;
static int objects_n, globals_n, depth, call_depth, budget, now_function, now_call, loops_n;
static u32 serial, instance, arena_at, limit;
static int perturbed, wants_perturbation, only_loop, claiming, any_claim;
static double result, first_result;
static long runs, undefined_runs, claims;
static sigjmp_buf escape;
static const char *reason;
static ucontext_t home, inside;
static char report[1 << 16];
static size_t report_n;

void rt_undefined(const char *why) { reason = why; siglongjmp(escape, 1); }

static void trapped(int signal) {
    (void)signal;
    reason = claiming ? "claim" : "trap";
    siglongjmp(escape, 1);
}

static u32 number(const void *at, unsigned long size) {
    unsigned long found = (unsigned long)((const char *)at - START);
    if (found >= limit || size > limit - found) rt_undefined("out of bounds");
    return (u32)found;
}

static void wrong(int loop, const char *what, const char *name, long where) {
    if (perturbed) return;
    const char **told = loops[loop].told;
    int k = 0;
    while (k < 6 && told[k] && told[k] != what) k++;
    if (k == 6 || told[k] == what) return; /* once is enough */
    told[k] = what;
    report_n += snprintf(report + report_n, sizeof report - report_n, "W\t%d\t%d\t%s%s%s%s", loop, now_call, what,
                         name ? " '" : "", name ? name : "", name ? "'" : "");
    if (where >= 0) report_n += snprintf(report + report_n, sizeof report - report_n, " byte %ld", where);
    report[report_n++] = '\n';
    if (report_n > sizeof report - 400) report_n = sizeof report - 400;
}

/* Objects */

static int new_object(const char *name, u32 base, u32 size, char kind, char tag, int state, int direct) {
    if (objects_n >= OBJECTS) rt_undefined("too many objects");
    struct object *o = &objects[objects_n];
    *o = (struct object){name, base, size, ++serial, kind, tag};
    for (u32 k = base; k < base + size; k++)
        bytes[k] = (struct byte){(unsigned char)state, (unsigned char)direct, (uint16_t)objects_n, 0, 0};
    return objects_n++;
}

void rt_global(const char *name, void *at, unsigned long size, int tag) {
    new_object(name, number(at, size), (u32)size, 'g', (char)tag, VALUE, 0);
}

void rt_local(void *at, unsigned long size, int flags, const char *name) {
    if (size > STACK) rt_undefined("size");
    new_object(name, number(at, size), (u32)size, 'l', 0, flags & INITIALISED ? VALUE : UNINITIALISED, flags & DIRECT);
}

void *rt_buffer(const char *name, unsigned long size, int tag) {
    if (size > ARENA || arena_at + size + 2 * GAP > ARENA) rt_undefined("memory");
    char *at = arena + arena_at + GAP;
    arena_at += (u32)((size + 63) / 64 * 64 + GAP);
    new_object(name, number(at, size), (u32)size, 'b', (char)tag, VALUE, 0);
    return at;
}

void *rt_malloc(unsigned long size) {
    void *at = rt_buffer("heap", size ? size : 1, 0);
    struct object *o = &objects[objects_n - 1];
    for (u32 k = o->base; k < o->base + o->size; k++) bytes[k].state = UNINITIALISED;
    o->kind = 'h';
    return at;
}

void *rt_calloc(unsigned long count, unsigned long size) {
    if (count > ARENA || size > ARENA) rt_undefined("memory");
    void *at = rt_malloc(count * size);
    memset(at, 0, count * size);
    for (u32 k = 0; k < count * size; k++) bytes[objects[objects_n - 1].base + k].state = VALUE;
    return at;
}

void rt_free(void *at) {
    if (!at) return;
    struct object *o = &objects[bytes[number(at, 1)].object];
    if (o->kind != 'h' || o->base != number(at, 1)) rt_undefined("free");
    for (u32 k = o->base; k < o->base + o->size; k++) bytes[k].state = INVALID;
}

static void store(char tag, char *at, long k, long v) {
    switch (tag) {
    case 'b': ((_Bool *)at)[k] = v & 1; break;
    case 'c': case 'C': at[k] = (char)v; break;
    case 's': case 'S': ((short *)at)[k] = (short)v; break;
    case 'i': case 'I': ((int *)at)[k] = (int)v; break;
    case 'l': case 'L': ((long *)at)[k] = v; break;
    case 'f': ((float *)at)[k] = (float)v; break;
    case 'd': ((double *)at)[k] = (double)v; break;
    }
}

void rt_fill(void *at, int tag, long count, int seed, int most) {
    u32 x = (u32)seed * 2654435761u + 12345u;
    for (long k = 0; k < count; k++) {
        x = x * 1664525u + 1013904223u;
        store((char)tag, at, k, (long)((x >> 16) % (u32)(most + 1)));
    }
}

/* Boxes: parts of arrays */

static int inside_box(const struct box *b, u32 at, long *index) {
    long offset = (long)at - (long)b->base;
    for (int d = 0; d < b->dimensions; d++) {
        long w = b->width[d], i = offset / w - (offset % w < 0);
        offset -= i * w;
        index[d] = i;
    }
    for (int d = 0; d < b->dimensions; d++)
        if (index[d] < b->low[d] || index[d] > b->high[d]) return 0;
    return 1;
}

void rt_box(int flags, int name, void *at, int dimensions, ...) {
    struct frame *f = &frames[depth - 1];
    if (f->boxes_n >= 40 || !at) { if (at) f->complained = 1; return; }
    unsigned long where = (unsigned long)((char *)at - START);
    if (where >= limit) return;
    struct box *b = &f->boxes[f->boxes_n++];
    *b = (struct box){.flags = flags, .name = name, .dimensions = dimensions, .base = (u32)where, .alone = 1};
    va_list list;
    va_start(list, dimensions);
    for (int d = 0; d < dimensions; d++) {
        b->low[d] = va_arg(list, long);
        b->high[d] = va_arg(list, long);
        b->width[d] = va_arg(list, long);
    }
    va_end(list);
    b->object = bytes[where].state ? bytes[where].object : -1;
    for (int k = 0; k < f->boxes_n - 1; k++)
        if (f->boxes[k].object == b->object && f->boxes[k].name != name) f->boxes[k].alone = b->alone = 0;
    claims++;
}

/* Loops */

int rt_call(void) {
    if (++call_depth > 40) rt_undefined("recursion");
    if (--budget < 0) rt_undefined("too long");
    return depth;
}

static void pop(void);

void rt_label(int to) {
    if (--budget < 0) rt_undefined("too long");
    while (depth > to) pop();
}

void rt_return(int to) {
    rt_label(to);
    call_depth--;
}

void rt_leave(int to) {
    while (depth > to) pop();
}

void rt_enter(int loop, int flags) {
    if (depth >= LEVELS) rt_undefined("too deep");
    struct frame *f = &frames[depth++];
    u32 *touched = f->touched ? f->touched : malloc(sizeof(u32) * MEMORY);
    memset(f, 0, offsetof(struct frame, ranges));
    f->touched = touched;
    f->touched_n = 0;
    f->effect = 0;
    f->loop = loop;
    f->flags = flags;
    f->call = call_depth;
    f->instance = ++instance;
    f->serial = ++serial;
    f->header = 1;
    claiming = 1;
}

void rt_claimed(void) { frames[depth - 1].claimed = 1; any_claim = 1; claims++; }
void rt_kernel(void) { frames[depth - 1].kernel = 1; claims++; }
void rt_flag(int flag) { frames[depth - 1].flags |= flag; }
void rt_nonempty(void) { frames[depth - 1].nonempty = 1; claims++; }

void rt_base(int loop, int has_trips, long trips, int rectangular) {
    struct frame *f = &frames[depth - 1];
    if (f->bases_n < 6) f->bases[f->bases_n++] = (struct base){loop, has_trips, rectangular, 0, 0, trips, 0};
    claims += has_trips + rectangular;
}

void rt_range(int kind, void *at, unsigned long size) {
    struct frame *f = &frames[depth - 1];
    if (f->ranges_n >= 48) rt_undefined("too many names");
    u32 where = number(at, size);
    f->ranges[f->ranges_n++] = (struct range){where, where + (u32)size, kind};
    claims++;
}

void rt_scalar(void *at, unsigned long size) {
    struct frame *f = &frames[depth - 1];
    if (f->scalars_n >= 48) rt_undefined("too many names");
    u32 where = number(at, size);
    f->scalars[f->scalars_n++] = (struct range){where, where + (u32)size, 0};
}

static long load(int tag, const char *at) {
    switch (tag) {
    case 'b': return *(const _Bool *)at;
    case 'c': return *(const signed char *)at;
    case 'C': return *(const unsigned char *)at;
    case 's': return *(const short *)at;
    case 'S': return *(const unsigned short *)at;
    case 'i': return *(const int *)at;
    case 'I': return *(const unsigned *)at;
    case 'l': case 'L': case 'p': return *(const long *)at;
    }
    return 0;
}

static int width_of(int tag) {
    return tag == 'l' || tag == 'L' || tag == 'd' || tag == 'p' ? 8 : tag == 'i' || tag == 'I' || tag == 'f' ? 4 : tag == 's' || tag == 'S' ? 2 : 1;
}

static int is_float(int tag) { return tag == 'f' || tag == 'd'; }

void rt_linear(void *at, int tag, int has_step, long step) {
    struct frame *f = &frames[depth - 1];
    rt_range(LINEAR, at, (unsigned long)width_of(tag));
    if (f->linear_n < 8 && !is_float(tag))
        f->linear[f->linear_n++] = (struct linear){number(at, 1), tag, has_step, step, load(tag, at)};
}

/* What a minimum or maximum takes along: an index. */
void rt_with(void *at, unsigned long size, int keeps_last) {
    struct frame *f = &frames[depth - 1];
    rt_range(REDUCTION, at, size);
    if (!f->reduced_n) return;
    struct reduced *r = &f->reduced[f->reduced_n - 1];
    r->keeps_last = keeps_last;
    if (r->with_n < 4 && size <= 8) r->with[r->with_n++] = (struct range){number(at, size), number(at, size) + (u32)size, 0};
}

/* `size` 0: boxes of (low, high, width) follow; ~0: the whole object */
void rt_reduce(int op, int tag, void *at, unsigned long size, int dimensions, ...) {
    struct frame *f = &frames[depth - 1];
    if (f->reduced_n >= 8) rt_undefined("too many names");
    struct reduced *r = &f->reduced[f->reduced_n++];
    unsigned long element = tag ? (unsigned long)width_of(tag) : 1;
    *r = (struct reduced){.op = op, .tag = tag};
    r->at = malloc(sizeof(u32) * 4096);
    claims++;
    if (dimensions == 0) {
        u32 base = (u32)((char *)at - START);
        if (size == ~0ul) {
            base = number(at, 1);
            struct object *o = &objects[bytes[base].object];
            base = o->base;
            size = o->size;
        }
        for (u32 k = 0; k < size && r->count < 4096; k += (u32)element) r->at[r->count++] = base + k;
    } else {
        long low[6], high[6], width[6], index[6];
        va_list list;
        va_start(list, dimensions);
        for (int d = 0; d < dimensions; d++) {
            low[d] = va_arg(list, long);
            high[d] = va_arg(list, long);
            width[d] = va_arg(list, long);
            index[d] = low[d];
        }
        va_end(list);
        int d = 0;
        for (d = 0; d < dimensions; d++)
            if (low[d] > high[d]) return;
        for (;;) {
            long where = (char *)at - START;
            for (int k = 0; k < dimensions; k++) where += index[k] * width[k];
            for (long k = 0; k < width[dimensions - 1]; k += (long)element)
                if (r->count < 4096 && where + k >= 0 && where + k < limit && bytes[where + k].state)
                    r->at[r->count++] = (u32)(where + k);
            for (d = dimensions - 1; d >= 0 && ++index[d] > high[d]; d--) index[d] = low[d];
            if (d < 0) break;
        }
    }
}

/* Reductions, run as threads would: every iteration starts from the identity */

static double float_identity(int op) {
    return op == '*' ? 1 : op == 'm' ? 1e300 : op == 'M' ? -1e300 : op == 'a' ? 1 : 0;
}

static long identity(int op, int tag) {
    int is_signed = strchr("csil", tag) != 0, bits = width_of(tag) * 8;
    long most = bits == 64 ? 0x7fffffffffffffff : is_signed ? (1L << (bits - 1)) - 1 : (1L << bits) - 1;
    switch (op) {
    case '*': case 'a': return 1;
    case '&': return -1;
    case 'm': return most;
    case 'M': return is_signed ? -most - 1 : 0;
    }
    return 0;
}

static long combine(int op, int tag, long a, long b) {
    switch (op) {
    case '+': return (long)((unsigned long)a + (unsigned long)b);
    case '*': return (long)((unsigned long)a * (unsigned long)b);
    case '&': return a & b;
    case '|': return a | b;
    case '^': return a ^ b;
    case 'a': return a && b;
    case 'o': return a || b;
    case 'm': return (tag == 'L' ? (unsigned long)a < (unsigned long)b : a < b) ? a : b;
    case 'M': return (tag == 'L' ? (unsigned long)a > (unsigned long)b : a > b) ? a : b;
    }
    return a;
}

static double combine_floats(int op, double a, double b) {
    switch (op) {
    case '+': return a + b;
    case '*': return a * b;
    case 'm': return a < b ? a : b;
    case 'M': return a > b ? a : b;
    case 'a': return a && b;
    case 'o': return a || b;
    }
    return a;
}

static double load_float(int tag, const char *at) { return tag == 'f' ? *(const float *)at : *(const double *)at; }

static void store_float(int tag, char *at, double v) {
    if (tag == 'f') *(float *)at = (float)v;
    else *(double *)at = v;
}

/* Does this iteration's value replace the total?  `won` decides for what is taken along. */
static void take_along(struct reduced *r, int won) {
    for (int n = 0; n < r->with_n; n++)
        if (won) memcpy(r->kept[n], START + r->with[n].low, r->with[n].high - r->with[n].low);
}

static int replaces(const struct reduced *r, double total, double value, int touched) {
    if (!touched) return 0;
    if (value == total) return r->keeps_last;
    return r->op == 'm' ? value < total : value > total;
}

static void combine_cell(struct reduced *r, u32 k, int first) {
    char *at = START + r->at[k];
    if (is_float(r->tag)) {
        double v = load_float(r->tag, at);
        take_along(r, first || replaces(r, r->floats[k], v, v != float_identity(r->op)));
        r->floats[k] = first ? v : combine_floats(r->op, r->floats[k], v);
    } else {
        long v = load(r->tag, at);
        take_along(r, first || replaces(r, (double)r->totals[k], (double)v, v != identity(r->op, r->tag)));
        r->totals[k] = first ? v : combine(r->op, r->tag, r->totals[k], v);
    }
}

static void start_reductions(struct frame *f, int first) {
    for (int n = 0; n < f->reduced_n; n++) {
        struct reduced *r = &f->reduced[n];
        if (!r->tag) continue;
        if (!r->totals) r->totals = malloc(sizeof(long) * (r->count + 1)), r->floats = malloc(sizeof(double) * (r->count + 1));
        for (u32 k = 0; k < r->count; k++) {
            combine_cell(r, k, first);
            if (is_float(r->tag)) store_float(r->tag, START + r->at[k], float_identity(r->op));
            else store((char)r->tag, START + r->at[k], 0, identity(r->op, r->tag));
        }
        for (int k = 0; k < r->with_n; k++) memset(START + r->with[k].low, 0x11, r->with[k].high - r->with[k].low);
    }
}

static void finish_reductions(struct frame *f) {
    for (int n = 0; n < f->reduced_n; n++) {
        struct reduced *r = &f->reduced[n];
        if (!r->tag || !r->totals) continue;
        for (u32 k = 0; k < r->count; k++) {
            combine_cell(r, k, 0);
            if (is_float(r->tag)) store_float(r->tag, START + r->at[k], r->floats[k]);
            else store((char)r->tag, START + r->at[k], 0, r->totals[k]);
        }
        for (int k = 0; k < r->with_n; k++) memcpy(START + r->with[k].low, r->kept[k], r->with[k].high - r->with[k].low);
    }
}

static int perturbs(const struct frame *f) {
    return perturbed && f->claimed && (only_loop < 0 || only_loop == f->loop);
}

/* Iterations */

void rt_begin(void) {
    struct frame *f = &frames[depth - 1];
    claiming = 0;
    f->iteration = 1;
    f->tuple = 1;
    for (int k = depth - 2; k >= 0; k--)
        for (int n = 0; n < frames[k].bases_n; n++)
            if (frames[k].bases[n].loop == f->loop && frames[k].call == f->call) f->began = k + 1;
    if (f->claimed && f->reduced_n) wants_perturbation = 1;
}

void rt_next(void) {
    struct frame *f = &frames[depth - 1];
    f->iteration = f->count + 1;
    f->header = 1;
}

void rt_iterate(long value) {
    struct frame *f = &frames[depth - 1];
    if (--budget < 0) rt_undefined("too long");
    f->count++;
    f->iteration = f->count;
    f->tuple++;
    f->header = 0;
    f->hash = f->hash * 1000003u + (unsigned long)value;
    for (int k = 0; k < depth - 1; k++)
        for (int n = 0; n < frames[k].bases_n; n++)
            if (frames[k].bases[n].loop == f->loop) frames[k].tuple++;
    if (perturbs(f)) start_reductions(f, f->count == 1);
    if (f->claimed)
        for (int n = 0; n < f->linear_n; n++) {
            struct linear *l = &f->linear[n];
            long now = load(l->tag, START + l->at);
            if (!l->has_step && f->count == 2) l->has_step = 1, l->step = now - l->first;
            if ((l->has_step || f->count == 1) && now != l->first + (long)(f->count - 1) * l->step)
                wrong(f->loop, "a linear variable has another value", objects[bytes[l->at].object].name, -1);
        }
}

void rt_end(void) { frames[depth - 1].normal = 1; }

static void check_covered(struct frame *f, struct box *b) {
    long index[6];
    int d;
    for (d = 0; d < b->dimensions; d++) {
        if (b->low[d] > b->high[d] || b->high[d] - b->low[d] > 4000) return;
        index[d] = b->low[d];
    }
    for (;;) {
        long where = b->base;
        for (d = 0; d < b->dimensions; d++) where += index[d] * b->width[d];
        if (where < 0 || where >= limit || !bytes[where].state || bytes[where].object != b->object) {
            wrong(f->loop, "a covered region leaves the array", b->object >= 0 ? objects[b->object].name : "?", where - b->base);
            return;
        }
        struct cell *c = &cells[f - frames][where];
        if (c->instance != f->instance || !c->write) {
            wrong(f->loop, "said to be written for certain:", objects[b->object].name, where - b->base);
            return;
        }
        for (d = b->dimensions - 1; d >= 0 && ++index[d] > b->high[d]; d--) index[d] = b->low[d];
        if (d < 0) return;
    }
}

static void check_attained(struct frame *f, struct box *b) {
    for (int k = 0; k < f->boxes_n; k++) { /* the first box of a name and access stands for all */
        struct box *o = &f->boxes[k];
        if (!(o->flags & DOMAIN) || o->object != b->object || (o->flags & 3) != (b->flags & 3)) continue;
        if (o < b || !(o->flags & EXACT) || !o->alone || o->dimensions != b->dimensions) return;
    }
    struct attained *record = &loops[f->loop].attained[b - f->boxes];
    int attained = 1;
    for (int d = 0; d < b->dimensions; d++) {
        long low = b->low[d], high = b->high[d];
        for (int k = 0; k < f->boxes_n; k++) {
            struct box *o = &f->boxes[k];
            if (!(o->flags & DOMAIN) || o->object != b->object || (o->flags & 3) != (b->flags & 3)) continue;
            if (o->low[d] < low) low = o->low[d];
            if (o->high[d] > high) high = o->high[d];
        }
        if (low > high || !b->seen) return;
        attained &= b->least[d] == low && b->most[d] == high;
    }
    record->chances += record->chances < 1000;
    record->times += attained && record->times < 1000;
    record->name = objects[b->object].name;
}

static void never_attained(void) {
    for (int loop = 0; loop < loops_n; loop++)
        for (int k = 0; k < 40; k++) {
            struct attained *a = &loops[loop].attained[k];
            if (a->chances > 2 && !a->times) printf("W\t%d\t-1\tan exact domain is never attained: '%s'\n", loop, a->name);
        }
}

static int all_ran(const struct frame *f) {
    for (int n = 0; n < f->bases_n; n++)
        if (f->bases[n].loop != f->loop && !f->bases[n].ran) return 0;
    return f->count > 0;
}

static int kind_at(const struct frame *f, u32 at) {
    for (int n = 0; n < f->ranges_n; n++) /* iterators come first: they may be private too */
        if (at >= f->ranges[n].low && at < f->ranges[n].high && (f->ranges[n].kind == ITERATOR || f->ranges[n].kind == INNER))
            return f->ranges[n].kind;
    for (int n = 0; n < f->ranges_n; n++)
        if (at >= f->ranges[n].low && at < f->ranges[n].high) return f->ranges[n].kind;
    for (int n = 0; n < f->reduced_n; n++)
        for (u32 k = 0; k < f->reduced[n].count; k++) {
            u32 low = f->reduced[n].at[k], w = f->reduced[n].tag ? (u32)width_of(f->reduced[n].tag) : 1;
            if (at >= low && at < low + w) return REDUCTION;
        }
    return NONE;
}

static void settle_ranges(struct frame *f, int level) {
    for (int n = 0; n < f->ranges_n; n++) {
        struct range *r = &f->ranges[n];
        if (r->kind == REDUCTION || r->kind == LINEAR || r->kind == INNER || r->kind == LAST_WRITTEN) continue;
        int last = r->kind == LAST, poisons = !last;
        for (int k = 0; k < f->ranges_n && r->kind == ITERATOR; k++) /* an iterator may be kept */
            if (f->ranges[k].kind == LAST && f->ranges[k].low == r->low) poisons = 0;
        int is_iterator = 0;
        for (int k = 0; k < f->ranges_n && last; k++)
            if ((f->ranges[k].kind == ITERATOR || f->ranges[k].kind == INNER) && f->ranges[k].low == r->low) is_iterator = 1;
        for (u32 at = r->low; at < r->high; at++) {
            struct cell *c = &cells[level][at];
            u32 written = c->instance == f->instance ? c->write : 0;
            /* OpenMP copies all of a last-private array back; the analyser's own claim is about what is written. */
            int lost = written != f->count && (written || (f->flags & OPENMP && f->count));
            if (poisons || (last && !is_iterator && lost)) bytes[at].poison = (uint16_t)(f->loop + 1);
        }
    }
}

static void judge_cell(struct frame *f, struct loop *l, int level, u32 at) {
    struct cell *c = &cells[level][at];
    if (!(c->flags & CONFLICT) || !c->size) return;
    for (int n = 0; n < f->ranges_n; n++)
        if (f->ranges[n].kind == ITERATOR && at >= f->ranges[n].low && at < f->ranges[n].high) return;
    struct object *o = &objects[bytes[at].object];
    if (!(c->flags & PLAIN)) { l->flags |= REDUCES | (o->size > 8 ? ARRAYS : 0); return; }
    if (!(c->flags & EXPOSED)) {
        l->flags |= PRIVATISES | (o->size > 8 ? ARRAYS : 0);
        if (c->write != f->count)
            for (u32 k = at; k < at + c->size; k++) bytes[k].stale = (uint16_t)(f->loop + 1);
        return;
    }
    struct induction *i = &inductions[level][at];
    if (o->size <= 8 && i->instance == f->instance && !i->bad && i->count > 1 && i->step && i->count + 1 >= (int)f->count) {
        l->flags |= INDUCES;
        return;
    }
    l->flags |= SERIAL;
}

static void finish(struct frame *f, int level) {
    struct loop *l = &loops[f->loop];
    if (perturbs(f) && f->count) finish_reductions(f);
    if (perturbed) return;
    l->instances++;
    l->flags |= SEEN;
    if (f->count > l->trips) l->trips = f->count;
    if (!f->normal) l->flags |= EARLY;
    if (f->effect) l->flags |= EFFECT;
    for (u32 k = 0; k < f->touched_n && !(l->flags & SERIAL); k++) judge_cell(f, l, level, f->touched[k]);
    if (f->claimed) {
        l->checked++;
        if (!f->normal) wrong(f->loop, "an iteration leaves the loop", 0, -1);
        if (f->effect) wrong(f->loop, "an iteration has an effect outside of memory", 0, -1);
        settle_ranges(f, level);
    }
    if (f->nonempty && !f->count) wrong(f->loop, "said to make an iteration", 0, -1);
    for (int n = 0; n < f->boxes_n && f->normal; n++) {
        struct box *b = &f->boxes[n];
        if (b->flags & KERNEL && b->flags & COVERED && all_ran(f)) check_covered(f, b);
        if (b->flags & DOMAIN && b->flags & EXACT && b->alone && all_ran(f)) check_attained(f, b);
    }
}

static void tell_heads(struct frame *f, int level) {
    for (int k = 0; k <= level; k++)
        for (int n = 0; n < frames[k].bases_n; n++) {
            struct base *b = &frames[k].bases[n];
            if (b->loop != f->loop) continue;
            if (b->has_trips && (long)f->count > (b->trips > 0 ? b->trips : 0)) wrong(frames[k].loop, "more trips than claimed", 0, -1);
            if (f->count) b->ran = 1;
            if (b->rectangular && k < level) {
                if (b->hashed && b->hash != f->hash) wrong(frames[k].loop, "collapse joins loops that are not rectangular", 0, -1);
                b->hashed = 1;
                b->hash = f->hash;
            }
        }
}

static void pop(void) {
    struct frame *f = &frames[depth - 1];
    claiming = 0;
    if (f->iteration) {
        tell_heads(f, depth - 1);
        finish(f, depth - 1);
    }
    for (int n = 0; n < f->reduced_n; n++) free(f->reduced[n].at), free(f->reduced[n].totals), free(f->reduced[n].floats);
    f->reduced_n = 0;
    depth--;
}

/* Accesses */

static void note_induction(struct frame *f, int level, u32 at, u32 size, const char *where) {
    struct induction *i = &inductions[level][at];
    long v = size == 8 ? *(const long *)where : size == 4 ? *(const int *)where : size == 2 ? *(const short *)where : *where;
    if (i->instance != f->instance) *i = (struct induction){f->instance, f->iteration, v, 0, 1, f->iteration > 2};
    else if (i->iteration != f->iteration) {
        if (f->iteration != i->iteration + 1 || (i->count > 1 && v - i->value != i->step)) i->bad = 1;
        i->step = v - i->value;
        i->value = v;
        i->iteration = f->iteration;
        i->count++;
    }
}

static void check_boxes(struct frame *f, const struct object *o, u32 at, int write, int fresh, int exposed) {
    int object = (int)(o - objects), domains = 0, in_domain = 0, listed = 0, in_region = 0;
    long index[6];
    for (int n = 0; n < f->boxes_n; n++) {
        struct box *b = &f->boxes[n];
        if (b->object != object) continue;
        if (b->flags & KERNEL) listed = 1;
        if (!(b->flags & (write ? WRITE : READ))) continue;
        int in = inside_box(b, at, index);
        if (b->flags & DOMAIN && b->alone && (write || fresh)) {
            domains = 1;
            in_domain |= in;
            for (int d = 0; d < b->dimensions; d++) {
                if (!b->seen || index[d] < b->least[d]) b->least[d] = index[d];
                if (!b->seen || index[d] > b->most[d]) b->most[d] = index[d];
            }
            b->seen = 1;
        }
        if (b->flags & KERNEL) in_region |= in || b->flags & WHOLE;
    }
    if (domains && !in_domain)
        wrong(f->loop, write ? "outside of the domains (w):" : "outside of the domains (r):", o->name, (long)at - o->base);
    if (!f->kernel || !(write || exposed)) return;
    if (listed && !in_region) {
        wrong(f->loop, write ? "written outside of the kernel's regions:" : "read outside of the kernel's regions:", o->name, (long)at - o->base);
        return;
    }
    if (listed) return;
    for (int n = 0; n < f->scalars_n; n++)
        if (at >= f->scalars[n].low && at < f->scalars[n].high) return;
    if (kind_at(f, at) == NONE) wrong(f->loop, "touched, but no part of the kernel:", o->name, (long)at - o->base);
}

static void frame_touch(struct frame *f, int level, u32 at, u32 size, int write, int op, const struct object *o) {
    u32 now = f->iteration, tuple = f->tuple;
    int conflict = 0, tuples = 0, fresh = 0, exposed = 0, other_tuple = 0;
    for (u32 k = at; k < at + size; k++) {
        struct cell *c = &cells[level][k];
        if (c->instance != f->instance) {
            *c = (struct cell){.instance = f->instance};
            if (f->touched_n < MEMORY) f->touched[f->touched_n++] = k;
        }
        if (k == at) c->size = size > 255 ? 255 : (unsigned char)size;
        if (!op || (c->op && c->op != op)) c->flags |= PLAIN;
        c->op = (unsigned char)op;
        if (write) {
            if ((c->write && c->write != now) || (c->read && c->read != now)) conflict = 1, c->flags |= CONFLICT;
            if ((c->tuple_write && c->tuple_write != tuple) || (c->tuple_read && c->tuple_read != tuple)) tuples = 1;
            c->write = now;
            c->tuple_write = tuple;
        } else {
            if (c->write != now) {
                fresh = 1;
                c->flags |= EXPOSED;
                if (c->write) conflict = 1, c->flags |= FLOW | CONFLICT;
            }
            if (!c->write) exposed = 1;
            if (c->tuple_write && c->tuple_write != tuple) tuples = 1;
            if (c->tuple_write != tuple) other_tuple = 1;
            if (!c->read) c->read = now;
            if (!c->tuple_read) c->tuple_read = tuple;
        }
    }
    if (fresh && (size == 8 || size <= 4)) note_induction(f, level, at, size, START + at);
    if (perturbed) return;
    if (f->claimed) {
        int kind = conflict || tuples || fresh || other_tuple || write ? kind_at(f, at) : NONE;
        if (kind == NONE && conflict) wrong(f->loop, "iterations conflict over", o->name, (long)at - o->base);
        else if (kind == NONE && tuples && f->bases_n > 1) wrong(f->loop, "base iterations conflict over", o->name, (long)at - o->base);
        else if ((kind == PRIVATE || kind == LAST || kind == LAST_WRITTEN) && !write && fresh) wrong(f->loop, "a private value is read before it is written:", o->name, (long)at - o->base);
        else if ((kind == PRIVATE || kind == LAST || kind == LAST_WRITTEN) && !write && other_tuple && f->bases_n > 1) wrong(f->loop, "a private value of another base iteration is read:", o->name, (long)at - o->base);
        else if (kind == ITERATOR && write && !f->header && f->flags & HAS_STEP) wrong(f->loop, "the iterator is changed:", o->name, -1);
    }
    if (f->boxes_n || f->kernel) check_boxes(f, o, at, write, fresh, exposed);
}

static void touch(const void *address, u32 size, int write, int via, int op) {
    u32 at = number(address, size);
    if (--budget < 0) rt_undefined("too long");
    struct byte *b = &bytes[at];
    if (!b->state || b[size - 1].object != b->object || !b[size - 1].state || (via && b->direct)) rt_undefined("out of bounds");
    const struct object *o = &objects[b->object];
    for (u32 k = 0; k < size; k++) {
        if (write) b[k].state = VALUE, b[k].poison = b[k].stale = 0;
        else {
            if (b[k].state == UNINITIALISED) rt_undefined("uninitialised");
            if (b[k].poison) wrong(b[k].poison - 1, "a private value is needed after the loop:", o->name, -1);
            if (b[k].stale) loops[b[k].stale - 1].flags |= SERIAL;
        }
    }
    for (int level = depth - 1; level >= 0 && o->birth < frames[level].serial; level--)
        if (frames[level].iteration) frame_touch(&frames[level], level, at, size, write, op, o);
}

long rt_index(long index, long size) {
    if (index < 0 || index >= size) rt_undefined("out of bounds");
    return index;
}

void rt_effect(void) {
    for (int level = 0; level < depth; level++) frames[level].effect = 1;
}

void *rt_memcpy(void *to, const void *from, unsigned long size) {
    for (u32 k = 0; k < size; k++) touch((const char *)from + k, 1, 0, 1, 0);
    for (u32 k = 0; k < size; k++) touch((char *)to + k, 1, 1, 1, 0);
    return memmove(to, from, size);
}

void *rt_memset(void *to, int value, unsigned long size) {
    for (u32 k = 0; k < size; k++) touch((char *)to + k, 1, 1, 1, 0);
    return memset(to, value, size);
}

#define DEFINE(t, T) \
    T rd_##t(T *at, int op) { touch(at, sizeof *at, 0, 0, op); return *at; } \
    T rv_##t(T *at, int op) { touch(at, sizeof *at, 0, 1, op); return *at; } \
    T wr_##t(T *at, T value, int op) { touch(at, sizeof *at, 1, 0, op); return *at = value; } \
    T wv_##t(T *at, T value, int op) { touch(at, sizeof *at, 1, 1, op); return *at = value; }
TYPES(DEFINE)

/* Calls */

void rt_result(double value) { result = value; }

static const struct rt_function *functions;

static void enter_call(void) {
    functions[now_function].call(now_call);
}

static void restore(void) {
    for (int n = globals_n; n < objects_n; n++) memset(bytes + objects[n].base, 0, objects[n].size * sizeof *bytes);
    objects_n = globals_n;
    for (int n = 0; n < globals_n; n++) {
        memcpy(START + objects[n].base, pristine + objects[n].base, objects[n].size);
        memcpy(bytes + objects[n].base, pristine_bytes + objects[n].base, objects[n].size * sizeof *bytes);
    }
}

/* One execution; 1 if it was defined. */
static int execute(int mode, int loop) {
    static struct loop before[LOOPS];
    restore();
    perturbed = mode;
    only_loop = loop;
    depth = call_depth = 0;
    budget = EVENTS;
    arena_at = 0;
    serial = 1000000;
    for (int n = 0; n < globals_n; n++) objects[n].birth = 1;
    report_n = 0;
    result = 0;
    claiming = 0;
    memcpy(before, loops, sizeof *loops * (size_t)loops_n);
    getcontext(&inside);
    inside.uc_stack.ss_sp = stack;
    inside.uc_stack.ss_size = sizeof stack;
    inside.uc_link = &home;
    makecontext(&inside, enter_call, 0);
    if (sigsetjmp(escape, 1) == 0) {
        swapcontext(&home, &inside);
        if (mode) memcpy(loops, before, sizeof *loops * (size_t)loops_n);
        return 1;
    }
    memcpy(loops, before, sizeof *loops * (size_t)loops_n);
    return 0;
}

static int close_enough(double a, double b) {
    double d = a > b ? a - b : b - a, m = (a < 0 ? -a : a) + (b < 0 ? -b : b);
    return d <= 1e-9 * m || a == b || (a != a && b != b);
}

static int same_object(const struct object *o) {
    const char *a = START + o->base, *b = after + o->base;
    if (!is_float(o->tag)) return !memcmp(a, b, o->size);
    for (u32 k = 0; k < o->size; k += (u32)width_of(o->tag))
        if (!close_enough(load_float(o->tag, a + k), load_float(o->tag, b + k))) return 0;
    return 1;
}

static int same_state(int count) {
    if (!close_enough(result, first_result)) return 0;
    if (objects_n < count) return 0;
    for (int n = 0; n < count; n++)
        if (strchr("gbh", objects[n].kind) && !same_object(&objects[n])) return 0;
    return 1;
}

static void remaining(void) {
    for (int n = 0; n < objects_n; n++) {
        struct object *o = &objects[n];
        if (!strchr("gb", o->kind)) continue;
        for (u32 k = o->base; k < o->base + o->size; k++) {
            if (bytes[k].poison) wrong(bytes[k].poison - 1, "a private value is visible after the function:", o->name, -1);
            if (bytes[k].stale) loops[bytes[k].stale - 1].flags |= SERIAL;
            bytes[k].poison = bytes[k].stale = 0;
        }
    }
}

static void refute(int loop, const char *what) {
    perturbed = 0;
    report_n = 0;
    wrong(loop, what, 0, -1);
    fwrite(report, 1, report_n, stdout);
}

static void perturb(int count) {
    if (execute(1, -1) && same_state(count)) return;
    for (int loop = 0; loop < loops_n; loop++) {
        if (!loops[loop].checked) continue;
        if (!execute(1, loop)) refute(loop, "another order is undefined");
        else if (!same_state(count)) refute(loop, "a reduction gives another result");
    }
}

static void one(int function, int call) {
    now_function = function;
    now_call = call;
    wants_perturbation = 0;
    runs++;
    if (!execute(0, -1)) {
        undefined_runs++;
        printf("U\t%d\t%d\t%s\n", function, call, reason);
        return;
    }
    remaining();
    fwrite(report, 1, report_n, stdout);
    if (!wants_perturbation) return;
    first_result = result;
    memcpy(after, START, limit);
    perturb(objects_n);
}

int rt_main(const struct rt_function *table, int count, void (*globals)(void), int loop_count) {
    int signals[] = {SIGSEGV, SIGFPE, SIGBUS, SIGILL, SIGABRT};
    for (int k = 0; k < 5; k++) signal(signals[k], trapped);
    limit = (u32)(__stop_udata - __start_udata);
    if (limit > MEMORY || loop_count > LOOPS) { printf("E\ttoo large\n"); return 3; }
    functions = table;
    loops_n = loop_count;
    loops = calloc((size_t)loop_count + 1, sizeof *loops);
    after = malloc(limit);
    pristine = malloc(limit);
    for (int k = 0; k < LEVELS; k++) {
        cells[k] = calloc(MEMORY, sizeof **cells);
        inductions[k] = calloc(MEMORY, sizeof **inductions);
    }
    globals();
    globals_n = objects_n;
    memcpy(pristine, START, limit);
    memcpy(pristine_bytes, bytes, sizeof bytes);
    for (int f = 0; f < count; f++)
        for (int c = 0; c < functions[f].calls; c++) one(f, c);
    never_attained();
    for (int k = 0; k < loop_count; k++)
        printf("S\t%d\t%u\t%u\t%u\t%d\n", k, loops[k].trips, loops[k].instances, loops[k].checked, loops[k].flags);
    printf("R\t%ld\t%ld\t%ld\n", runs, undefined_runs, claims);
    return 0;
}

/* What is known of the running program. */
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
enum { LEVELS = 7, MEMORY = 1 << 21, STACK = 1 << 16, ARENA = 1 << 19, OBJECTS = 8000, LOOPS = 4096 };
enum { INVALID, UNINITIALISED, VALUE };
enum { EXPOSED = 1, FLOW = 2, CONFLICT = 4, PLAIN = 8, NAMED = 16 };
enum { SEEN = 1, SERIAL = 2, EARLY = 4, EFFECT = 8, REDUCES = 16, PRIVATISES = 32, INDUCES = 64, ARRAYS = 128 };

struct byte { unsigned char state, direct; uint16_t object, poison, stale; };
struct cell { u32 instance, write, read, tuple_write, tuple_read; unsigned char flags, op, size, pad; };
struct induction { u32 instance, iteration; long value, step; int count, bad; };
struct object { const char *name; u32 base, size, birth; char kind, tag; };
struct range { u32 low, high; int kind; };
struct linear { u32 at; int tag, has_step; long step, first; };
struct box { int flags, name, dimensions; u32 base; int object, alone; long low[6], high[6], width[6];
             struct { long least[6], most[6]; int seen; } reached[2]; /* by reads of new values, by all reads */ };
struct reduced { int op, tag; u32 count, *at; double *floats; long *totals; int with_n, keeps_last; struct range with[4]; char kept[4][8]; };
struct base { int loop, has_trips, rectangular, ran, hashed; long trips; unsigned long hash; };
struct frame {
    int loop, flags, claimed, kernel, normal, header, nonempty, call;
    u32 instance, serial, iteration, tuple;
    u32 count;
    unsigned long hash;
    long value, step; /* of the iterator */
    int ranges_n, boxes_n, reduced_n, bases_n, scalars_n, linear_n;
    struct range ranges[48], scalars[48];
    struct box boxes[40];
    struct reduced reduced[64];
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

int rt_budget = 60000;
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

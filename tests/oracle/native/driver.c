/* Calls the functions of a plain program, original or annotated, and compares the states that they leave.

   program write FILE 0         makes each call of `runs` once, and writes what memory then holds
   program compare FILE FIRST   makes each call from number FIRST on in every way, and prints what differs

   The program's data lie in the sections udata and ubss (objcopy has renamed them): before each call they are
   as they were in the beginning, and after it they and the buffers that pointers lead to are its state. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "driver.h"

enum { ARENA = 1 << 17, MARGIN = 512, OBJECTS = 400, SECONDS = 10, UNUSED = 0x5a };
/* Pointers into it are then the same in every program.  The heap begins at random in the lowest gigabyte or two,
   libraries and stacks lie at the other end, and ThreadSanitizer allows what is below 512 GB. */
#define ARENA_AT ((char *)0x1040000000)

struct object { const char *name; char *at; unsigned long size; int tag; };
struct block { char *at, *end, *pristine; };

extern char __start_udata[] __attribute__((weak)), __stop_udata[] __attribute__((weak));
extern char __start_ubss[] __attribute__((weak)), __stop_ubss[] __attribute__((weak));

static struct object objects[OBJECTS];
static int objects_n, globals_n, now, way;
static struct block blocks[2];
static char *arena;
static unsigned long arena_n;
static double result;
static FILE *told;

static void fail(const char *why) {
    fprintf(told, "E\t%s\n", why);
    fflush(told);
    _exit(3);
}

static void trapped(int signal) {
    char line[80];
    int n = snprintf(line, sizeof line, "X\t%d\t%d\tsignal %d\n", now, way, signal);
    _exit(write(fileno(told), line, (size_t)n) < 0 ? 5 : 4);
}

/* Objects */

void rt_global(const char *name, void *at, unsigned long size, int tag) {
    if (objects_n >= OBJECTS) fail("too many objects");
    objects[objects_n++] = (struct object){name, at, size, tag};
}

void *rt_buffer(const char *name, unsigned long size, int tag) {
    char *at = arena + arena_n + MARGIN;
    arena_n += (size + 63) / 64 * 64 + MARGIN;
    if (arena_n + MARGIN > ARENA) fail("too many buffers");
    rt_global(name, at, size, tag);
    return at;
}

static void store(int tag, char *at, long k, long v) {
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

void rt_fill(void *at, int tag, long count, int seed, int most) { /* as the oracle's own (runtime/memory.c) */
    unsigned x = (unsigned)seed * 2654435761u + 12345u;
    for (long k = 0; k < count; k++) {
        x = x * 1664525u + 1013904223u;
        store(tag, at, k, (long)((x >> 16) % (unsigned)(most + 1)));
    }
}

void rt_result(double value) { result = value; }

/* Calls */

static void execute(void) {
    for (int k = 0; k < 2; k++) memcpy(blocks[k].at, blocks[k].pristine, (size_t)(blocks[k].end - blocks[k].at));
    memset(arena, UNUSED, arena_n + MARGIN);
    arena_n = 0;
    objects_n = globals_n;
    result = 0;
    srand(1);
    alarm(SECONDS);
    runs[now].call(runs[now].how);
    alarm(0);
}

static unsigned long state_size(int k) {
    return k < 2 ? (unsigned long)(blocks[k].end - blocks[k].at) : k == 2 ? arena_n + MARGIN : sizeof result;
}

static char *state_at(int k) {
    return k < 2 ? blocks[k].at : k == 2 ? arena : (char *)&result;
}

/* Comparing */

static int close_enough(double a, double b) {
    return fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b)) || a == b || (a != a && b != b);
}

static const struct object *object_of(const char *at) {
    for (int k = 0; k < objects_n; k++)
        if (at >= objects[k].at && at < objects[k].at + objects[k].size) return &objects[k];
    return 0;
}

/* How many bytes from `at` on are to be skipped: those of a number with a fraction that is all but the same. */
static unsigned long forgiven(const char *at, const char *was, const struct object *o, unsigned long *from) {
    *from = 0;
    if (!o || (o->tag != 'd' && o->tag != 'f')) return 0;
    unsigned long width = o->tag == 'd' ? 8 : 4;
    *from = (unsigned long)(at - o->at) % width;
    double a, b;
    float f, g;
    memcpy(o->tag == 'd' ? (void *)&a : &f, at - *from, width);
    memcpy(o->tag == 'd' ? (void *)&b : &g, was - *from, width);
    if (o->tag == 'f') a = f, b = g;
    return close_enough(a, b) ? width - *from : 0;
}

static int differs(const char *at, const char *was, unsigned long size) {
    if (!memcmp(at, was, size)) return 0;
    for (unsigned long k = 0, from; k < size; k++) {
        if (at[k] == was[k]) continue;
        const struct object *o = object_of(at + k);
        unsigned long skipped = forgiven(at + k, was + k, o, &from);
        if (!skipped) {
            fprintf(told, "D\t%d\t%d\t%s byte %ld\n", now, way, o ? o->name : "no named object", (long)(o ? at + k - o->at : 0));
            return 1;
        }
        k += skipped - 1;
    }
    return 0;
}

static char was[4][ARENA];

static void read_state(FILE *file) {
    for (int k = 0; k < 4; k++) {
        unsigned long size;
        if (fread(&size, sizeof size, 1, file) != 1 || size > ARENA || fread(was[k], 1, size, file) != size) fail("no state");
        if (k < 2 && size != state_size(k)) fail("the data are laid out differently");
    }
}

static void compare(void) {
    for (way = 0; way < ways_n; way++) {
        choose(way);
        execute();
        double before;
        memcpy(&before, was[3], sizeof before);
        int wrong = 0;
        for (int k = 0; k < 3 && !wrong; k++) wrong = differs(state_at(k), was[k], state_size(k));
        if (!wrong && !close_enough(result, before)) fprintf(told, "D\t%d\t%d\tthe result\n", now, way);
    }
}

static void write_state(FILE *file) {
    execute();
    for (int k = 0; k < 4; k++) {
        unsigned long size = state_size(k);
        fwrite(&size, sizeof size, 1, file);
        fwrite(state_at(k), 1, size, file);
    }
}

static void start(void) {
    told = fdopen(dup(1), "w");
    if (!told || !freopen("/dev/null", "w", stdout)) _exit(6); /* the functions may print */
    int signals[] = {SIGSEGV, SIGFPE, SIGBUS, SIGILL, SIGABRT, SIGALRM};
    for (int k = 0; k < 6; k++) signal(signals[k], trapped);
    arena = mmap(ARENA_AT, ARENA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (arena != ARENA_AT) fail("no memory");
    memset(arena, UNUSED, ARENA);
    blocks[0] = (struct block){__start_udata, __stop_udata, 0};
    blocks[1] = (struct block){__start_ubss, __stop_ubss, 0};
    for (int k = 0; k < 2; k++) {
        blocks[k].pristine = malloc(state_size(k) + 1);
        memcpy(blocks[k].pristine, blocks[k].at, state_size(k));
    }
    globals();
    globals_n = objects_n;
}

int main(int count, char **arguments) {
    start();
    int writes = count == 4 && !strcmp(arguments[1], "write"), first = count == 4 ? atoi(arguments[3]) : 0;
    FILE *file = count == 4 ? fopen(arguments[2], writes ? "wb" : "rb") : 0;
    if (!file) fail("no file");
    choose(0);
    for (now = 0; now < runs_n; now++) {
        if (!writes) read_state(file);
        if (now < first) continue;
        if (writes) write_state(file);
        else compare();
    }
    fclose(file);
    fprintf(told, "R\t%d\n", writes ? runs_n : runs_n * ways_n);
    return fclose(told) ? 7 : 0;
}

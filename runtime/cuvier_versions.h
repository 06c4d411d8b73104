/* Which version of a kernel runs: the loop on the host, with threads, or its kernel on the device.
 *
 * CUVIER_POLICY in the environment says how that is decided, launch by launch (its default is the program's own):
 *   predict  the version that is predicted to be done first; what is measured corrects the predictions
 *   fastest  each version once, then the one that took least for an iteration
 *   cpu      always the host
 *   gpu      always the device
 *   split    both, each some of the iterations, so many that they are predicted to be done at the same time; where a
 *            kernel's iterations cannot be divided, predict.  CUVIER_SHARE=0.3: the device gets as much of them
 *   energy   the version that is predicted to need fewer joules beyond what host and device draw idle: its seconds, copies included,
 *            times its watts, which the program has for its machine; CUVIER_WATTS=65,300 says those of host and device
 *
 * Predictions come from the tables of `cuvier profile` where there are some (`cuvier_measured`, which the program defines), else they are
 * made when the program is compiled, for its machine.  Copies that the launch needs are counted when it is due, by the bytes that
 * are not where the version looks for them.  To open a device takes long: it is opened once that much would have been saved.
 *
 * CUVIER_DECISIONS=FILE: the decisions are written to FILE as JSON when the program ends, the first CUVIER_MOST_DECISIONS of them one by one;
 * a table of them to stderr where FILE is "-".
 * CUVIER_PROFILE=FILE: every launch is waited for, and what launches of each size took is written to FILE as JSON.
 *
 * Compiled with CUVIER_POISON, predict takes one or the other at random, and split divides at random.
 *
 * After Dollinger, A framework for efficient execution on GPU and CPU+GPU systems (PhD thesis, Strasbourg 2015), chapters 4 and 5. */
#ifndef CUVIER_VERSIONS_H
#define CUVIER_VERSIONS_H

#include <time.h>

#include "cuvier_balance.h"
#include "cuvier_collect.h"
#include "cuvier_tables.h"

enum { CUVIER_MOST_DECISIONS = 1000 };
enum { CUVIER_MEASURED = 4, CUVIER_MEASURE_EVERY = 32 }; /* so many first launches on the device are waited for, then one in so many */

/* Launches of one size. */
typedef struct {
    cuvier_size size;
    double fastest, seconds;
    unsigned long count;
} cuvier_point;

/* Seconds: before the first iteration, and for each.  `factor`: what was measured, by what was predicted. */
typedef struct {
    double start, each, factor, seconds;
    unsigned long runs, measured;
    double fastest; /* seconds of an iteration, as far as measured; 0: not yet */
    const cuvier_table *tables;
    size_t table_count;
    cuvier_point *points; /* of a profile */
    size_t point_count;
} cuvier_version;

/* A kernel with both versions.  `opening`: seconds that it takes to open the device, `copy`: seconds to move a byte to or from it,
 * `watts`: what host and device draw beyond idle while they run it. */
typedef struct cuvier_site {
    const char *kernel;
    cuvier_version versions[2];
    double opening, copy, watts[2];
    struct cuvier_site *next; /* of all in the program */
    int is_known;
    long shares[2]; /* of the last launch that was divided */
} cuvier_site;

/* What a launch would have to move, in bytes. */
typedef struct {
    double to_device, to_host;
} cuvier_moves;

typedef struct {
    const char *kernel;
    int taken; /* CUVIER_BOTH: divided */
    double iterations /* all that it makes */, predicted[2], measured; /* < 0: not measured */
    cuvier_moves moves;
    double part, seconds[2]; /* where both ran: how much the device made, and what each took */
} cuvier_decision;

/* One set for all files of a program. */
typedef struct {
    int is_known, policy;
    const char *log, *profile;
    const char *device; /* is another one than that which was measured; NULL: it is not known yet, or the same */
    cuvier_site *sites;
    cuvier_decision *decisions;
    size_t count, all;
    int is_open; /* the device */
    double saved; /* seconds that it would have saved before it was */
    double share; /* of the device, as the environment says; < 0: it does not */
    double watts[2]; /* as the environment says; 0: it does not */
    double joules; /* of the processor before the program began, by its counter; < 0: it has none that may be read */
    char lock;
} cuvier_choices;

__attribute__((__weak__)) cuvier_choices cuvier_chosen;

/* The version that runs now, of which the time is taken; where both do, `version` is CUVIER_BOTH. */
static __thread struct {
    cuvier_site *site;
    int version;
    int is_timed;
    size_t decision; /* its number, from 1; 0: it is not logged */
    double began; /* of both: the host's part */
    double part; /* of the device, where both run */
    cuvier_size size;
    cuvier_bytes written; /* by the host's part */
} cuvier_running;

static const char *const cuvier_policies[] = {"predict", "fastest", "cpu", "gpu", "split", "energy"};
enum { CUVIER_PREDICT, CUVIER_FASTEST, CUVIER_CPU, CUVIER_GPU, CUVIER_SPLIT, CUVIER_ENERGY, CUVIER_POLICIES };

static inline double cuvier_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static inline void cuvier_lock(void)
{
    while (__atomic_test_and_set(&cuvier_chosen.lock, __ATOMIC_ACQUIRE))
        ;
}

static inline void cuvier_unlock(void)
{
    __atomic_clear(&cuvier_chosen.lock, __ATOMIC_RELEASE);
}

/* The threads that would share a loop of the host's. */
__attribute__((__weak__)) int omp_get_max_threads(void);

static inline int cuvier_host_threads(void)
{
    return omp_get_max_threads ? omp_get_max_threads() : 1;
}

#include "cuvier_energy.h"
#include "cuvier_decisions.h"

CUVIER_FUNCTION int cuvier_policy_named(const char *name)
{
    for (int k = 0; k < CUVIER_POLICIES; k++)
        if (strcmp(name, cuvier_policies[k]) == 0)
            return k;
    fprintf(stderr, "cuvier: CUVIER_POLICY=%s: there are", name);
    for (int k = 0; k < CUVIER_POLICIES; k++)
        fprintf(stderr, "%s %s", k ? "," : "", cuvier_policies[k]);
    fprintf(stderr, "\n");
    exit(1);
}

CUVIER_FUNCTION double cuvier_share_said(void)
{
    const char *text = getenv("CUVIER_SHARE");
    char *end = NULL;
    const double share = text && *text ? strtod(text, &end) : -1;
    if (end && (*end || !(share >= 0 && share <= 1))) {
        fprintf(stderr, "cuvier: CUVIER_SHARE=%s: expected the device's part of the iterations, from 0 to 1\n", text);
        exit(1);
    }
    return share;
}

CUVIER_FUNCTION int cuvier_divides(void)
{
    return cuvier_chosen.policy == CUVIER_SPLIT;
}

/* Before main: what is wrong with the environment is said at once. */
__attribute__((__constructor__)) static void cuvier_begin_choosing(void)
{
    if (!cuvier_chosen.is_known) {
        const char *named = getenv("CUVIER_POLICY");
        cuvier_chosen.is_known = 1;
        cuvier_chosen.policy = cuvier_policy_named(named && *named ? named : CUVIER_DEFAULT_POLICY);
        cuvier_chosen.share = cuvier_share_said();
        cuvier_read_watts(cuvier_chosen.watts);
        cuvier_chosen.joules = cuvier_joules();
        cuvier_chosen.log = getenv("CUVIER_DECISIONS");
        cuvier_chosen.profile = getenv("CUVIER_PROFILE");
        if (cuvier_chosen.log)
            atexit(cuvier_write_decisions);
        if (cuvier_chosen.profile)
            atexit(cuvier_write_profile);
    }
}

/* What a launch would have to move of the `count` cells from `host[first]` on, which it reads (`is_read`), or only writes. */
CUVIER_FUNCTION void cuvier_would_move(cuvier_moves *moves, const void *host, long first, long count, size_t size, int is_read)
{
    const cuvier_stretch all = cuvier_stretch_of(host, first, count, size);
    double here = 0;
    if (all.begin >= all.end || cuvier_shares_memory())
        return;
    for (size_t k = cuvier_first_unit(all.begin); k < cuvier_all.length && cuvier_all.items[k].begin < all.end; k++) {
        here += cuvier_common(&cuvier_all.items[k].here, all.begin, all.end);
        moves->to_host += cuvier_common(&cuvier_all.items[k].late, all.begin, all.end);
    }
    moves->to_device += is_read ? (double)(all.end - all.begin) - here : 0;
}

/* Without copies; nothing that was measured corrects it. */
CUVIER_FUNCTION double cuvier_seconds_of(const cuvier_version *v, int version, const cuvier_size *size)
{
    double seconds = 0;
    if (v->table_count == 0)
        return v->start + v->each * size->work;
    if (version == CUVIER_HOST)
        seconds = cuvier_shared_seconds(v->tables, v->table_count, cuvier_host_threads(), size);
    else
        seconds = size->work * cuvier_rate(v->tables, size);
    return seconds > v->start ? seconds : v->start;
}

CUVIER_FUNCTION double cuvier_copy_seconds(const cuvier_site *site, int version, const cuvier_moves *moves)
{
    const double bytes = version == CUVIER_HOST ? moves->to_host : moves->to_device;
    const cuvier_measured_tables *all = &cuvier_measured;
    if (version == CUVIER_HOST && all->from_count)
        return cuvier_transfer_seconds(all->to_host, all->from_count, bytes);
    if (version == CUVIER_DEVICE && all->to_count)
        return cuvier_transfer_seconds(all->to_device, all->to_count, bytes);
    return bytes * site->copy;
}

static inline double cuvier_predicted(const cuvier_site *site, int version, const cuvier_size *size, const cuvier_moves *moves)
{
    const cuvier_version *v = &site->versions[version];
    return cuvier_seconds_of(v, version, size) * v->factor + cuvier_copy_seconds(site, version, moves);
}

static inline int cuvier_first_done(const double seconds[2])
{
    return seconds[CUVIER_DEVICE] < seconds[CUVIER_HOST] ? CUVIER_DEVICE : CUVIER_HOST;
}

CUVIER_FUNCTION int cuvier_version_for(cuvier_site *site, const double seconds[2])
{
    const cuvier_version *v = site->versions;
    const double joules[2] = {seconds[CUVIER_HOST] * cuvier_watts(site, CUVIER_HOST), seconds[CUVIER_DEVICE] * cuvier_watts(site, CUVIER_DEVICE)};
    const int saves = cuvier_chosen.policy == CUVIER_ENERGY;
    int found = cuvier_first_done(saves ? joules : seconds);
    switch (cuvier_chosen.policy) {
    case CUVIER_CPU:
        return CUVIER_HOST;
    case CUVIER_GPU:
        return CUVIER_DEVICE;
    case CUVIER_FASTEST:
        for (int k = CUVIER_HOST; k <= CUVIER_DEVICE; k++)
            if (v[k].measured == 0)
                return k;
        return v[CUVIER_DEVICE].fastest < v[CUVIER_HOST].fastest ? CUVIER_DEVICE : CUVIER_HOST;
    }
#ifdef CUVIER_POISON
    if (1) /* whatever follows whatever */
        return (int)((cuvier_chosen.all * 2654435761u >> 13) & 1);
#endif
    if (found == CUVIER_DEVICE && !cuvier_chosen.is_open) {
        cuvier_chosen.saved += saves ? (joules[CUVIER_HOST] - joules[CUVIER_DEVICE]) / cuvier_watts(site, CUVIER_DEVICE)
                                     : seconds[CUVIER_HOST] - seconds[CUVIER_DEVICE];
        if (cuvier_chosen.saved < site->opening)
            found = CUVIER_HOST;
    }
    return found;
}

CUVIER_FUNCTION size_t cuvier_log(const cuvier_site *site, int taken, double iterations, const double seconds[2], const cuvier_moves *moves)
{
    cuvier_choices *c = &cuvier_chosen;
    const cuvier_decision made = {site->kernel, taken, iterations, {seconds[0], seconds[1]}, -1, *moves, 0, {0, 0}};
    c->all++;
    if (c->log == NULL || c->count == CUVIER_MOST_DECISIONS)
        return 0;
    if (c->decisions == NULL)
        c->decisions = (cuvier_decision *)cuvier_grown(NULL, CUVIER_MOST_DECISIONS * sizeof made);
    c->decisions[c->count++] = made;
    return c->count;
}

/* A site that is reached for the first time. */
CUVIER_FUNCTION void cuvier_enlist(cuvier_site *site)
{
    site->is_known = 1;
    site->next = cuvier_chosen.sites;
    cuvier_chosen.sites = site;
    for (int k = CUVIER_HOST; k <= CUVIER_DEVICE; k++) {
        cuvier_version *v = &site->versions[k];
        v->tables = cuvier_tables_for(&cuvier_measured, site->kernel, k, &v->table_count);
        v->table_count = k == CUVIER_DEVICE && cuvier_chosen.device ? 0 : v->table_count;
    }
}

#include "cuvier_split.h"

/* What is going to run, of so many iterations.  Whatever does is going to say that it has: see `cuvier_ran`. */
CUVIER_FUNCTION long cuvier_decide(cuvier_site *site, const cuvier_size *size, const cuvier_moves *moves, long trips, int is_divided)
{
    cuvier_lock();
    if (!site->is_known)
        cuvier_enlist(site);
    const double seconds[2] = {cuvier_predicted(site, CUVIER_HOST, size, moves), cuvier_predicted(site, CUVIER_DEVICE, size, moves)};
    const int splits = is_divided && cuvier_chosen.policy == CUVIER_SPLIT;
    long part = splits ? cuvier_device_share(site, size, moves, trips) : cuvier_version_for(site, seconds) == CUVIER_HOST ? 0 : trips;
    const int taken = part == 0 ? CUVIER_HOST : part == trips ? CUVIER_DEVICE : CUVIER_BOTH;
    cuvier_chosen.is_open |= taken != CUVIER_HOST;
    cuvier_running.site = site;
    cuvier_running.version = taken;
    cuvier_keeps_time = taken == CUVIER_BOTH;
    cuvier_running.size = *size;
    cuvier_running.part = (double)part / (double)trips;
    cuvier_running.decision = cuvier_log(site, taken, size->work, seconds, moves);
    cuvier_unlock();
    return part;
}

/* Is the launch left to the host? */
CUVIER_FUNCTION int cuvier_takes_host(cuvier_site *site, const cuvier_size *size, const cuvier_moves *moves)
{
    return cuvier_decide(site, size, moves, 1, 0) == 0;
}

/* The data is where the version looks for it: its time begins, or that of the host's part. */
static inline void cuvier_runs(void)
{
    cuvier_running.is_timed = 1;
    cuvier_running.began = cuvier_now();
}

/* The predictions come closer to what was measured, by a step that is not too large. */
CUVIER_FUNCTION void cuvier_learn(cuvier_version *version, int which, const cuvier_size *size, double seconds)
{
    const double predicted = cuvier_seconds_of(version, which, size);
    const double now = predicted > 0 ? seconds / predicted : 1, step = version->measured < 3 ? 1 : 0.25;
    const double most = 8 * version->factor, least = version->factor / 8;
    version->factor += step * ((now > most ? most : now < least ? least : now) - version->factor);
    const double each = seconds / (size->work > 1 ? size->work : 1);
    if (version->measured == 0 || each < version->fastest)
        version->fastest = each;
    version->measured++;
}

/* A version took so long for a part of the launch. */
CUVIER_FUNCTION void cuvier_took(int which, double part, double seconds, int is_timed)
{
    cuvier_version *version = &cuvier_running.site->versions[which];
    const cuvier_size size = cuvier_size_of(&cuvier_running.size, part);
    if (is_timed) {
        version->seconds += seconds;
        cuvier_learn(version, which, &size, seconds);
        if (cuvier_chosen.profile)
            cuvier_note(version, &size, seconds);
    }
    version->runs++;
}

/* Both have made their parts, the host in so many seconds, and the device. */
CUVIER_FUNCTION void cuvier_both_took(double host, double device)
{
    const double part = cuvier_running.part;
    const int is_first = cuvier_running.site->versions[CUVIER_DEVICE].runs == 0; /* in which the device compiles the kernel */
    cuvier_took(CUVIER_HOST, 1 - part, host, 1);
    cuvier_took(CUVIER_DEVICE, part, device, !is_first);
    if (cuvier_running.decision) {
        cuvier_decision *decision = &cuvier_chosen.decisions[cuvier_running.decision - 1];
        decision->part = part;
        decision->seconds[CUVIER_HOST] = host;
        decision->seconds[CUVIER_DEVICE] = device;
    }
}

/* The version has run, and what it began is done, if its time was taken. */
CUVIER_FUNCTION void cuvier_ran(void)
{
    const double seconds = cuvier_now() - cuvier_running.began;
    if (cuvier_running.site == NULL)
        return; /* the host runs it for want of a condition */
    const int is_divided = cuvier_running.version == CUVIER_BOTH;
    const double device = is_divided ? cuvier_join() : 0, all = cuvier_now() - cuvier_running.began;
    cuvier_collect();
    cuvier_lock();
    if (is_divided)
        cuvier_both_took(seconds, device);
    else
        cuvier_took(cuvier_running.version, 1, seconds, cuvier_running.is_timed);
    if ((is_divided || cuvier_running.is_timed) && cuvier_running.decision)
        cuvier_chosen.decisions[cuvier_running.decision - 1].measured = is_divided ? all : seconds;
    cuvier_running.site = NULL;
    cuvier_unlock();
}

/* Was another device measured?  Then its tables are of no use here. */
CUVIER_FUNCTION void cuvier_compare_devices(void)
{
    static char here[256];
    static int is_done;
    if (is_done || cuvier_measured.device == NULL)
        return;
    is_done = 1;
    cuvier_device_called(here, sizeof here);
    if (strcmp(here, cuvier_measured.device) == 0)
        return;
    fprintf(stderr, "cuvier: the tables of `cuvier profile` are for '%s', this is '%s': they are not used\n", cuvier_measured.device, here);
    cuvier_lock();
    cuvier_chosen.device = here;
    for (cuvier_site *site = cuvier_chosen.sites; site; site = site->next)
        site->versions[CUVIER_DEVICE].table_count = 0;
    cuvier_unlock();
}

/* A launch on the device begins, and has begun; some are waited for.  Not the first, for which the device compiles the kernel. */
CUVIER_FUNCTION void cuvier_device_runs(const char *kernel)
{
    const unsigned long runs = cuvier_running.site->versions[CUVIER_DEVICE].runs;
    const int is_timed = cuvier_chosen.profile || (runs && (runs < CUVIER_MEASURED || runs % CUVIER_MEASURE_EVERY == 0));
    cuvier_compare_devices();
    if (cuvier_running.version == CUVIER_BOTH)
        return; /* the device times it */
    if (is_timed)
        cuvier_rest(kernel);
    cuvier_runs();
    cuvier_running.is_timed = is_timed;
}

CUVIER_FUNCTION void cuvier_device_ran(const char *kernel)
{
    if (cuvier_running.version == CUVIER_BOTH)
        return; /* now the host begins with its part */
    if (cuvier_running.is_timed)
        cuvier_wait(kernel);
    cuvier_ran();
}

#endif

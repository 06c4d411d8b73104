/* Which executions of kernels are recorded.
 *
 * A kernel has a budget, of CUVIER_WATCH_BUDGET or DEFAULT_BUDGET bytes.  When that is spent, as many executions are
 * recorded between the 2^k-th and the 2^(k+1)-th as CUVIER_WATCH_SAMPLES or DEFAULT_SAMPLES says, as long as these
 * cost no more than a quarter of the budget, and otherwise LEAST. */
#include "watch_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEFAULT_BUDGET = 1 << 26, DEFAULT_SAMPLES = 16, LEAST = 2 };

static Site *sites;
static size_t site_count, budget = DEFAULT_BUDGET, sample_count = DEFAULT_SAMPLES;
static int recording; /* a file was named: otherwise nothing is due */
static char lock;

/* perturb.c, where it is linked in. */
__attribute__((weak)) void cuvier_perturb(int what);
__attribute__((weak)) void cuvier_perturb_sums(int on);

/* OpenMP's library, in programs that use it. */
__attribute__((weak)) int omp_in_parallel(void);
__attribute__((weak)) int omp_get_max_threads(void);
__attribute__((weak)) void omp_set_num_threads(int threads);
static int all_threads; /* of kernels, while one thread does one; else 0 */

void enter(void)
{
    while (__atomic_test_and_set(&lock, __ATOMIC_ACQUIRE)) {
    }
}

void leave(void)
{
    __atomic_clear(&lock, __ATOMIC_RELEASE);
}

void *grown(void *memory, size_t bytes)
{
    void *result = realloc(memory, bytes ? bytes : 1);
    if (!result) {
        fprintf(stderr, "cuvier verify: out of memory while recording\n");
        _exit(125);
    }
    return result;
}

int same_text(const char *a, const char *b)
{
    return a == b || !strcmp(a, b);
}

Site *site_named(const char *name)
{
    for (size_t k = 0; k < site_count; k++)
        if (same_text(sites[k].name, name))
            return &sites[k];
    return NULL;
}

static Site *site_for(const char *name)
{
    Site *known = site_named(name);
    if (known)
        return known;
    sites = grown(sites, (site_count + 1) * sizeof *sites);
    sites[site_count] = (Site){name, 0, 0};
    return &sites[site_count++];
}

/* Is the execution of a number one of `samples` between two powers of 2? */
static int is_sample(size_t execution, int power, size_t samples)
{
    size_t distance = ((size_t)1 << power) / samples;
    return execution % (distance ? distance : 1) == 0;
}

static int is_due(const Site *site, size_t execution)
{
    int power = 0;
    while (execution >> power > 1)
        power++;
    if (site->cost < budget)
        return 1;
    int affordable = site->cost < budget + budget / 4 * (size_t)power;
    return is_sample(execution, power, affordable || sample_count < LEAST ? sample_count : LEAST);
}

static void use_threads(int threads, int instead)
{
    omp_set_num_threads(threads);
    all_threads = instead;
}

void cuvier_watch_threads(const char *site)
{
    if (!recording || !omp_set_num_threads || omp_in_parallel())
        return;
    enter();
    const Site *known = site_for(site);
    int due = is_due(known, known->executions);
    leave();
    if (!due && !all_threads)
        use_threads(1, omp_get_max_threads());
    else if (due && all_threads)
        use_threads(all_threads, 0);
}

int cuvier_watch_due(const char *site)
{
    if (all_threads && !omp_in_parallel())
        use_threads(all_threads, 0);
    enter();
    Site *known = site_for(site);
    int due = recording && is_due(known, known->executions++);
    leave();
    if (cuvier_perturb)
        cuvier_perturb(0);
    return due;
}

void cuvier_watch_enter(int what)
{
    if (cuvier_perturb)
        cuvier_perturb(what);
}

void cuvier_watch_sums(int on)
{
    if (cuvier_perturb_sums)
        cuvier_perturb_sums(on);
}

static size_t number_in(const char *name, size_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 0) : otherwise;
}

void start_sites(void)
{
    budget = number_in("CUVIER_WATCH_BUDGET", DEFAULT_BUDGET);
    sample_count = number_in("CUVIER_WATCH_SAMPLES", DEFAULT_SAMPLES);
    sample_count += !sample_count;
    recording = getenv("CUVIER_WATCH_FILE") != NULL;
}

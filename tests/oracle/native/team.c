/* A run-time system in the place of gcc's: what `-fopenmp` calls, for loops with a static schedule.

   The threads of a team are coroutines.  They take turns at barriers and where they end, in an order that each
   way has its own of, so that with schedule(static,1) the iterations of short loops run backwards or shuffled.
   With -DCONCURRENT they are threads, made and joined before the eyes of ThreadSanitizer: it knows nothing of
   the futexes in libgomp, and calls every pair of parallel regions there a race. */
#include <pthread.h>
#include <ucontext.h>
#include "driver.h"

enum { MOST = 16, STACK = 1 << 18 };
enum order { FORWARDS, BACKWARDS, SHUFFLED };

typedef void body(void *);
struct team { body *run; void *data; int threads; };

static struct team team;
static int wanted = 1;
static __thread int me, size = 1; /* outside of a team, and in one inside another, there is one thread */

int omp_get_thread_num(void) { return me; }
int omp_get_num_threads(void) { return size; }
int omp_get_max_threads(void) { return size > 1 ? 1 : wanted; }
int omp_in_parallel(void) { return size > 1; }

static void alone(body *run, void *data) {
    int who = me, many = size;
    me = 0, size = 1;
    run(data);
    me = who, size = many;
}

#ifdef CONCURRENT
const int ways_n = 2;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;

void choose(int way) { wanted = way ? 4 : 2; }

static void *work(void *number) {
    me = (int)(long)number, size = team.threads;
    team.run(team.data);
    return 0;
}

static void together(void) {
    pthread_t threads[MOST];
    pthread_barrier_init(&barrier, 0, (unsigned)team.threads);
    for (long k = 0; k < team.threads; k++) pthread_create(&threads[k], 0, work, (void *)k);
    for (int k = 0; k < team.threads; k++) pthread_join(threads[k], 0);
    pthread_barrier_destroy(&barrier);
}

void GOMP_barrier(void) { if (size > 1) pthread_barrier_wait(&barrier); }
void GOMP_atomic_start(void) { pthread_mutex_lock(&lock); }
void GOMP_atomic_end(void) { pthread_mutex_unlock(&lock); }

#else
static const struct { int threads; enum order order; } ways[] = {
    {3, FORWARDS}, {16, BACKWARDS}, {4, BACKWARDS}, {16, SHUFFLED}, {5, SHUFFLED}, {2, BACKWARDS},
};
const int ways_n = sizeof ways / sizeof *ways;

static enum order order;
static unsigned chance;
static char stacks[MOST][STACK];
static ucontext_t contexts[MOST], home;
static int turns[MOST], turn, living; /* turns[k]: whose the k-th turn is */

void choose(int way) {
    wanted = ways[way].threads;
    order = ways[way].order;
    chance = 12345;
}

static void shuffle(void) {
    for (int k = 0; k < team.threads; k++) turns[k] = order == BACKWARDS ? team.threads - 1 - k : k;
    for (int k = team.threads - 1; k > 0 && order == SHUFFLED; k--) {
        chance = chance * 1664525u + 1013904223u;
        int other = (int)((chance >> 16) % (unsigned)(k + 1)), was = turns[k];
        turns[k] = turns[other];
        turns[other] = was;
    }
}

/* All threads meet the same barriers, so that the next turn is that of the next one in the order. */
static void give_way(ucontext_t *from) {
    turn = (turn + 1) % team.threads;
    me = turns[turn];
    swapcontext(from, &contexts[me]);
}

static void work(void) {
    team.run(team.data);
    if (--living) give_way(&contexts[me]);
    setcontext(&home);
}

static void together(void) {
    shuffle();
    living = team.threads;
    for (int k = 0; k < team.threads; k++) {
        getcontext(&contexts[k]);
        contexts[k].uc_stack.ss_sp = stacks[k];
        contexts[k].uc_stack.ss_size = STACK;
        makecontext(&contexts[k], work, 0);
    }
    turn = 0, me = turns[0], size = team.threads;
    swapcontext(&home, &contexts[me]);
    me = 0, size = 1;
}

void GOMP_barrier(void) { if (size > 1) give_way(&contexts[me]); }
void GOMP_atomic_start(void) {}
void GOMP_atomic_end(void) {}
#endif

void GOMP_parallel(body *run, void *data, unsigned threads, unsigned flags) {
    (void)flags;
    int many = threads ? (int)threads : wanted;
    if (size > 1 || many == 1) {
        alone(run, data);
        return;
    }
    team = (struct team){run, data, many};
    together();
}

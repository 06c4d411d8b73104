/* ==========================================================================
   epidemic.c

   Agent based S-E-I-R model on a town grid.  Every cell holds one person;
   persons live in households (2..5 neighbours in scan order) and meet the
   eight persons around them plus a few random contacts.  Several replicas
   with the same parameters and different random numbers give the spread.

   Usage:  epidemic [side] [replicas] [max days]
   ========================================================================== */

#include <stdio.h>
#include <stdlib.h>
#include <math.h>

typedef enum { SUSCEPTIBLE, EXPOSED, INFECTIOUS, RECOVERED, N_STATES } state_t;

typedef struct agent {
    state_t         state;
    int             timer;          /* days left in this state */
    struct house   *home;
    float           shyness;        /* scales the contacts */
} agent_t;

typedef struct house {
    int members;
    int sick;                       /* infectious members today */
} house_t;

typedef struct {
    long count[N_STATES];
    long new_cases;
    long home_cases;
} day_t;

typedef struct town {
    int         side;
    agent_t    *people;             /* side * side */
    house_t    *houses;
    long        n_houses;
    char       *infected_today;
    unsigned    rng;
} town_t;

typedef struct {
    double beta_street;
    double beta_home;
    double beta_travel;
    int    travel_contacts;
    int    latent_days;
    int    sick_days;
} params_t;

/* what is kept of a replica */
typedef struct {
    int     days;
    int     peak_day;
    long    peak;
    long    total_cases;
    long    home_cases;
    double  person_days;
} summary_t;

/* called at the end of each day */
typedef void (*observer_t) (void *user, int day, const day_t *today);


static unsigned next_random (town_t *t)
{
    unsigned x = t->rng;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return t->rng = x;
}

static double uniform (town_t *t)
{
    return next_random (t) * (1.0 / 4294967296.0);
}

static void *get_mem (size_t n, size_t size)
{
    void *p = calloc (n, size);
    if (p == NULL) {
        fputs ("epidemic: out of memory\n", stderr);
        exit (1);
    }
    return p;
}

/* -------------------------------------------------------------------------- */

static town_t *town_new (int side, unsigned seed)
{
    long n = (long) side * side, i = 0, h = 0;
    town_t *t = get_mem (1, sizeof *t);

    t->side = side;
    t->people = get_mem (n, sizeof (agent_t));
    t->houses = get_mem (n / 2 + 2, sizeof (house_t));
    t->infected_today = get_mem (n, 1);
    t->rng = seed * 2654435761u + 88172645u;
    if (t->rng == 0)
        t->rng = 1;
    while (i < n) {
        int size = 2 + (int) (next_random (t) >> 8) % 4;
        for (; size > 0 && i < n; size--, i++) {
            t->people[i].home = &t->houses[h];
            t->people[i].shyness = (float) (0.5 + uniform (t));
            t->houses[h].members++;
        }
        h++;
    }
    t->n_houses = h;
    return t;
}

static void town_free (town_t *t)
{
    free (t->infected_today);
    free (t->houses);
    free (t->people);
    free (t);
}

static void seed_cases (town_t *t, int n, const params_t *par)
{
    while (n > 0) {
        agent_t *a = &t->people[next_random (t) % ((unsigned) t->side * t->side)];
        if (a->state != SUSCEPTIBLE)
            continue;
        a->state = INFECTIOUS;
        a->timer = par->sick_days;
        a->home->sick++;
        n--;
    }
}

/* infectious persons among the eight around (x, y); the town is an island */
static int street_pressure (const town_t *t, int x, int y)
{
    int n = 0;
    for (int dy = -1; dy <= 1; dy++) {
        int yy = y + dy;
        if (yy < 0 || yy >= t->side)
            continue;
        for (int dx = -1; dx <= 1; dx++) {
            int xx = x + dx;
            if ((dx == 0 && dy == 0) || xx < 0 || xx >= t->side)
                continue;
            n += t->people[yy * t->side + xx].state == INFECTIOUS;
        }
    }
    return n;
}

static void contacts (town_t *t, const params_t *par, day_t *today)
{
    unsigned everyone = (unsigned) t->side * t->side;

    for (int y = 0; y < t->side; y++) {
        for (int x = 0; x < t->side; x++) {
            agent_t *a = &t->people[y * t->side + x];
            if (a->state != SUSCEPTIBLE)
                continue;

            int street = street_pressure (t, x, y);
            int travel = 0;
            for (int k = 0; k < par->travel_contacts; k++)
                travel += t->people[next_random (t) % everyone].state == INFECTIOUS;
            if (street + travel + a->home->sick == 0)
                continue;

            double p_out = 1.0 - pow (1.0 - par->beta_street * a->shyness, street)
                               * pow (1.0 - par->beta_travel * a->shyness, travel);
            double p_home = 1.0 - pow (1.0 - par->beta_home, a->home->sick);
            if (uniform (t) < p_home) {
                t->infected_today[y * t->side + x] = 1;
                today->home_cases++;
            } else if (uniform (t) < p_out)
                t->infected_today[y * t->side + x] = 1;
        }
    }
}

static void progress (town_t *t, const params_t *par, day_t *today)
{
    long n = (long) t->side * t->side;

    for (long i = 0; i < n; i++) {
        agent_t *a = t->people + i;
        switch (a->state) {
        case SUSCEPTIBLE:
            if (t->infected_today[i]) {
                t->infected_today[i] = 0;
                a->state = EXPOSED;
                a->timer = 1 + (int) (uniform (t) * 2 * par->latent_days);
                today->new_cases++;
            }
            break;
        case EXPOSED:
            if (--a->timer <= 0) {
                a->state = INFECTIOUS;
                a->timer = 1 + (int) (uniform (t) * 2 * par->sick_days);
                a->home->sick++;
            }
            break;
        case INFECTIOUS:
            if (--a->timer <= 0) {
                a->state = RECOVERED;
                a->home->sick--;
            }
            break;
        default:
            break;
        }
        today->count[a->state]++;
    }
}

/* runs until nobody is ill any more; returns the number of days */
static int simulate (town_t *t, const params_t *par, int max_days,
                     observer_t observe, void *user)
{
    int day = 0;
    for (;;) {
        day_t today = { { 0 }, 0, 0 };
        contacts (t, par, &today);
        progress (t, par, &today);
        observe (user, day, &today);
        if (++day >= max_days || today.count[EXPOSED] + today.count[INFECTIOUS] == 0)
            return day;
    }
}

static void keep_summary (void *user, int day, const day_t *today)
{
    summary_t *s = user;
    if (today->count[INFECTIOUS] > s->peak) {
        s->peak = today->count[INFECTIOUS];
        s->peak_day = day;
    }
    s->total_cases += today->new_cases;
    s->home_cases += today->home_cases;
    s->person_days += (double) today->count[INFECTIOUS];
}

static void mean_sd (const double *v, int n, const char *what)
{
    double m = 0, q = 0;
    for (int i = 0; i < n; i++)
        m += v[i];
    m /= n;
    for (int i = 0; i < n; i++)
        q += (v[i] - m) * (v[i] - m);
    printf ("%-14s mean %.6e  sd %.4e\n", what, m, n > 1 ? sqrt (q / (n - 1)) : 0.0);
}

int main (int argc, char **argv)
{
    int side     = argc > 1 ? atoi (argv[1]) : 160;
    int replicas = argc > 2 ? atoi (argv[2]) : 8;
    int max_days = argc > 3 ? atoi (argv[3]) : 150;
    const params_t par = { 0.022, 0.09, 0.015, 3, 3, 6 };

    if (side < 8 || replicas < 1 || max_days < 1) {
        fprintf (stderr, "usage: %s [side] [replicas] [days]\n", argv[0]);
        return 1;
    }
    summary_t *sum = get_mem (replicas, sizeof *sum);
    double *tmp = get_mem (replicas, sizeof *tmp);

    /* OMP: parallel for schedule(dynamic,1) */
    for (int r = 0; r < replicas; r++) {
        town_t *town = town_new (side, 1000u + (unsigned) r);
        seed_cases (town, 12, &par);
        sum[r].days = simulate (town, &par, max_days, keep_summary, &sum[r]);
        town_free (town);
    }

    for (int r = 0; r < replicas; r++)
        printf ("replica %d: %d days, peak %ld on day %d, cases %ld (%ld at home)\n",
                r, sum[r].days, sum[r].peak, sum[r].peak_day,
                sum[r].total_cases, sum[r].home_cases);
    for (int r = 0; r < replicas; r++)
        tmp[r] = (double) sum[r].total_cases / ((double) side * side);
    mean_sd (tmp, replicas, "attack rate");
    for (int r = 0; r < replicas; r++)
        tmp[r] = sum[r].peak_day;
    mean_sd (tmp, replicas, "peak day");
    for (int r = 0; r < replicas; r++)
        tmp[r] = sum[r].person_days;
    mean_sd (tmp, replicas, "sick days");
    free (tmp);
    free (sum);
    return 0;
}

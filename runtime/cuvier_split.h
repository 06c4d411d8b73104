/* Launches that the host and the device share: the device makes the first iterations, and meanwhile the host makes the others.
 *
 * What each part needs is where it runs before it begins; what it writes is known to be nowhere else after it.  Parts are ranges of
 * the outermost loop, which write to stretches of memory that are apart; a launch of which they are not is not divided.
 *
 * After Dollinger (PhD thesis, Strasbourg 2015), section 5.3.  There, the device's results come back after each launch; here they
 * stay, and what the host's part reads of them is copied before the next one. */
#ifndef CUVIER_SPLIT_H
#define CUVIER_SPLIT_H

/* The cells are in the list, too. */
CUVIER_FUNCTION void cuvier_add_cells(cuvier_bytes *list, const void *host, long first, long count, size_t size)
{
    const cuvier_stretch cells = cuvier_stretch_of(host, first, count, size);
    cuvier_add(list, cells.begin, cells.end);
}

/* What is asked of a launch that is to be divided. */
typedef struct {
    const cuvier_site *site;
    const cuvier_size *size;
    const cuvier_moves *moves;
    double trips;
} cuvier_division;

static inline cuvier_size cuvier_size_of(const cuvier_size *all, double part)
{
    const cuvier_size size = {all->outer * part, all->parallel * part, all->work * part};
    return size;
}

/* Seconds that a version takes for some of the iterations, with the same part of the copies. */
CUVIER_FUNCTION double cuvier_time_of_part(const void *context, int version, double trips)
{
    const cuvier_division *d = (const cuvier_division *)context;
    const double part = trips / d->trips;
    const cuvier_size size = cuvier_size_of(d->size, part);
    const cuvier_moves moves = {d->moves->to_device * part, d->moves->to_host * part};
    return cuvier_predicted(d->site, version, &size, &moves);
}

/* How many of the iterations the device gets, the first ones; those that it got the last time, while that seems good. */
CUVIER_FUNCTION long cuvier_device_share(cuvier_site *site, const cuvier_size *size, const cuvier_moves *moves, long trips)
{
    const cuvier_division division = {site, size, moves, (double)trips};
    if (cuvier_chosen.share >= 0)
        return (long)(cuvier_chosen.share * (double)trips + 0.5);
#ifdef CUVIER_POISON
    if (1) /* anything is right */
        return (long)((cuvier_chosen.all * 2654435761u >> 7) % (unsigned long)(trips + 1));
#endif
    if (site->shares[0] > 0 && site->shares[1] > 0 && site->shares[0] + site->shares[1] == trips) {
        const double host = cuvier_time_of_part(&division, CUVIER_HOST, (double)site->shares[CUVIER_HOST]);
        const double device = cuvier_time_of_part(&division, CUVIER_DEVICE, (double)site->shares[CUVIER_DEVICE]);
        if (host < 1.1 * device && device < 1.1 * host)
            return site->shares[CUVIER_DEVICE]; /* another border would only move data */
    }
    cuvier_balance(2, cuvier_time_of_part, &division, trips, site->shares);
    if (cuvier_chosen.is_open)
        return site->shares[CUVIER_DEVICE];
    const double host = cuvier_time_of_part(&division, CUVIER_HOST, (double)trips);
    const double own = cuvier_time_of_part(&division, CUVIER_HOST, (double)site->shares[CUVIER_HOST]);
    cuvier_chosen.saved += host - own; /* as the device would have made the rest meanwhile */
    return cuvier_chosen.saved < site->opening ? 0 : site->shares[CUVIER_DEVICE];
}

/* The part of the device; all or nothing where it would write to what the host's part writes to.  Takes over the lists. */
CUVIER_FUNCTION long cuvier_divided(cuvier_bytes device, cuvier_bytes host, long part, long trips)
{
    cuvier_bytes both = cuvier_part(&device, &host, 0);
    const int meet = both.length > 0;
    free(both.items);
    free(device.items);
    cuvier_become(&cuvier_running.written, host);
    if (!meet)
        return part;
    cuvier_running.version = 2 * part < trips ? CUVIER_HOST : CUVIER_DEVICE;
    cuvier_keeps_time = 0;
    if (cuvier_running.decision)
        cuvier_chosen.decisions[cuvier_running.decision - 1].taken = cuvier_running.version;
    return cuvier_running.version == CUVIER_HOST ? 0 : trips;
}

/* The host has made its part, and waits for the device's; how many seconds that took. */
CUVIER_FUNCTION double cuvier_join(void)
{
    static const cuvier_bytes none = {NULL, 0};
    const char *kernel = cuvier_running.site->kernel;
    cuvier_wait(kernel);
    for (size_t k = 0; k < cuvier_running.written.length; k++) {
        const cuvier_stretch one = cuvier_running.written.items[k]; /* the device may have read them before, to no purpose */
        cuvier_host_writes(one.begin, (size_t)(one.end - one.begin));
    }
    free(cuvier_running.written.items);
    cuvier_running.written = none;
    cuvier_keeps_time = 0;
    return cuvier_device_took(kernel);
}

#endif

/* What happens later: a wheel of times, with lists of events in the order in which they were made. */
#ifndef CUVIER_CACHE_EVENTS_H
#define CUVIER_CACHE_EVENTS_H

#include "records.h"

enum { TIMES = 1 << 13, NONE = -1 }; /* no event is further away than TIMES - 1 */

struct event {
    uint64_t number; /* of a line; or the warp that is ready again */
    int32_t next, warp; /* the warp whose miss it is, NONE for a hit */
    uint8_t sectors, wakes;
};

struct wheel {
    int32_t first[TIMES], last[TIMES];
    struct event *events;
    int32_t made, room, unused;
    uint64_t waiting;
};

static void wheel_open(struct wheel *wheel)
{
    memset(wheel->first, 0xff, sizeof wheel->first);
    wheel->room = 1 << 10;
    wheel->events = room((size_t)wheel->room, sizeof *wheel->events);
    wheel->made = 0;
    wheel->unused = NONE;
    wheel->waiting = 0;
}

static int32_t wheel_place(struct wheel *wheel)
{
    int32_t place = wheel->unused;
    if (place != NONE) {
        wheel->unused = wheel->events[place].next;
        return place;
    }
    if (wheel->made == wheel->room) {
        wheel->room *= 2;
        wheel->events = realloc(wheel->events, (size_t)wheel->room * sizeof *wheel->events);
        if (wheel->events == NULL)
            abort();
    }
    return wheel->made++;
}

static void wheel_add(struct wheel *wheel, uint64_t time, struct event event)
{
    int32_t place = wheel_place(wheel);
    unsigned at = time % TIMES;
    event.next = NONE;
    wheel->events[place] = event;
    if (wheel->first[at] == NONE)
        wheel->first[at] = place;
    else
        wheel->events[wheel->last[at]].next = place;
    wheel->last[at] = place;
    wheel->waiting++;
}

/* Takes the next event of that time; 0 where there is none. */
static int wheel_take(struct wheel *wheel, uint64_t time, struct event *event)
{
    int32_t place = wheel->first[time % TIMES];
    if (place == NONE)
        return 0;
    *event = wheel->events[place];
    wheel->first[time % TIMES] = event->next;
    wheel->events[place].next = wheel->unused;
    wheel->unused = place;
    wheel->waiting--;
    return 1;
}

#endif

/* What the parts of the watch library share. */
#ifndef CUVIER_WATCH_PARTS_H
#define CUVIER_WATCH_PARTS_H

#include "watch.h"

#define CUVIER_HIDDEN __attribute__((visibility("hidden")))
#define enter cuvier_watch_lock
#define leave cuvier_watch_unlock
#define grown cuvier_watch_grown
#define hash_of cuvier_watch_hash_of
#define same_text cuvier_watch_same_text
#define site_named cuvier_watch_site_named
#define start_sites cuvier_watch_start_sites

enum { CALL_COST = 512 }; /* what it costs to record anything, in bytes */

/* A kernel: how often it was executed, and what recording it has cost. */
typedef struct {
    const char *name;
    size_t executions, cost;
} Site;

CUVIER_HIDDEN void enter(void);
CUVIER_HIDDEN void leave(void);
/* As `realloc`; ends the program where there is no memory. */
CUVIER_HIDDEN void *grown(void *memory, size_t bytes);
CUVIER_HIDDEN int same_text(const char *a, const char *b);
/* The kernel of that name; NULL where cuvier_watch_due was never asked about it. */
CUVIER_HIDDEN Site *site_named(const char *name);
CUVIER_HIDDEN void start_sites(void);
/* A hash of the values: all NaNs are one value, padding counts for nothing. */
CUVIER_HIDDEN unsigned long long hash_of(int kind, size_t element, const char *data, size_t bytes);

#endif

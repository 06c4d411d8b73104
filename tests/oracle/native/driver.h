/* What the generated calls of a plain program use: see driver.c. */
#ifndef DRIVER_H
#define DRIVER_H

struct run { void (*call)(int how); int how; };
extern const struct run runs[];
extern const int runs_n;
void globals(void);

void *rt_buffer(const char *name, unsigned long size, int tag);
void rt_fill(void *at, int tag, long count, int seed, int most);
void rt_global(const char *name, void *at, unsigned long size, int tag);
void rt_result(double value);

/* How the iterations of a parallel loop are distributed; libgomp.c and team.c say which ways there are. */
extern const int ways_n;
void choose(int way);
#endif

/* Preloaded into programs under test: counts the parallel regions that they enter with several threads.
   When a program ends, it adds a line with the number to the file that $FIELD_REGIONS names. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef void region(void *);
typedef void parallel(region *, void *, unsigned, unsigned);

static unsigned long entered;

/* What gcc makes of `#pragma omp parallel for`; `threads` is 1 where its condition does not hold. */
void GOMP_parallel(region *body, void *data, unsigned threads, unsigned flags)
{
  static parallel *real;
  if (!real)
    real = (parallel *)dlsym(RTLD_NEXT, "GOMP_parallel");
  if (threads != 1)
    __atomic_fetch_add(&entered, 1, __ATOMIC_RELAXED);
  real(body, data, threads, flags);
}

__attribute__((destructor)) static void report(void)
{
  const char *name = getenv("FIELD_REGIONS");
  FILE *file = name && entered ? fopen(name, "a") : NULL;
  if (!file)
    return;
  fprintf(file, "%lu\n", entered);
  fclose(file);
}

/* Runs a program several times and times what it does between timing_start() and timing_stop().
   The program is compiled with -Dmain=program_main, so it allocates, initialises and checks anew every time.

       PROGRAM RUNS SECONDS

   makes a first run and, within so many seconds from then on, RUNS more.  After what each run prints comes a line
   `@ <seconds>`.  Memory that is freed stays with the process, so that later runs need not fault it in again. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int program_main(void);
void timing_start(void);
void timing_stop(void);

static double started, elapsed;

static double now(void)
{
  struct timespec t;

  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void timing_start(void)
{
  started = now();
}

void timing_stop(void)
{
  elapsed += now() - started;
}

int main(int argc, char **argv)
{
  int runs = argc > 1 ? atoi(argv[1]) : 0;
  double end = 0.0, seconds = argc > 2 ? atof(argv[2]) : 0.0;

  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
  for (int run = 0; run == 0 || (run <= runs && now() < end); run++) {
    elapsed = 0.0;
    if (program_main() != 0)
      return 1;
    printf("@ %.9f\n", elapsed);
    fflush(stdout);
    if (run == 0)
      end = now() + seconds;
  }
  return 0;
}

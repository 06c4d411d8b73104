/* Runs a whole program several times in one process, for programs that take too little time to be measured.
   The program is compiled with -Dmain=program_main.

       PROGRAM TIMES

   What the first run prints is the output; the seconds of all runs together are the last line of stderr. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int program_main(void);

static double now(void)
{
  struct timespec t;

  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
  int times = argc > 1 ? atoi(argv[1]) : 1;
  double begin = now();

  for (int run = 0; run < times; run++) {
    if (program_main() != 0)
      return 1;
    if (run == 0 && (fflush(stdout) || !freopen("/dev/null", "w", stdout)))
      return 1;
  }
  fprintf(stderr, "%.9f\n", now() - begin);
  return 0;
}

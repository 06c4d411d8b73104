#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
static void kd(double *p, int n) { for (int i = 0; i < n; i++) p[i] = p[i] * 2 + i; }
int main(void) {
  int fd = memfd_create("x", 0); if (ftruncate(fd, 4096)) return 1;
  double *p = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  double *q = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  kd(p, 100); printf("%g\n", q[4]); q[5] = 8; kd(p, 100); printf("%g\n", q[5]);
  return 0; }

#define _GNU_SOURCE
#include <stdio.h>
#include <unistd.h>
#include <pthread.h>
static double A[100], r1;
static int fd[2];
static void k(void) { for (int i = 0; i < 100; i++) A[i] = A[i] * 2 + i; }
static void *work(void *p) { char c; if (read(fd[0], &c, 1) == 1) r1 = A[3]; return p; }
int main(void) { pthread_t t; if (pipe(fd)) return 1; dup2(fd[1], 2); pthread_create(&t, 0, work, 0); k(); k(); perror("x"); double z = 0; for (int i = 0; i < 200000000; i++) z += i; if (z < 0) return 2; pthread_join(t, 0); printf("%g\n", r1); return 0; }

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static double A[100], B[100];
static void k(void) { for (int i = 0; i < 100; i++) A[i] = A[i] * 2 + i; }

int main(int argc, char **argv) { (void)argv;
  k();
  switch (argc) { case 1: default: for (int i = 0; i < 3; i++) { printf("%g\n", A[i]); } A[2] = 7; }
  k(); printf("%g\n", A[2]);
  if (argc) l1: { printf("%g\n", A[1]); } else l2: for (int i = 0; i < 3; i++) printf("%g\n", B[i]);
  k(); if (argc > 5) { goto l1; goto l2; }
  printf("%g\n", A[1]);
  return 0; }

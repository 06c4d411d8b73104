#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>
static unsigned long sz[8];
static wchar_t *p;
static void kz(void) { for (int i = 0; i < 8; i++) sz[i] = sz[i] + 10; }
int main(void) {
  FILE *f = open_wmemstream(&p, (size_t *)&sz[2]); fputws(L"hello", f); kz(); kz(); fflush(f); printf("%lu\n", sz[2]); kz(); printf("%lu\n", sz[2]); fclose(f); printf("%lu %lu\n", sz[2], sz[3]); return 0; }

/* A program that needs a C compiler and the headers of the C library. */
#include <stdio.h>

int main(void)
{
  puts("here");
  return 0;
}

/* A program without a loop. */
#include <stdio.h>

static int factorial(int n)
{
  return n <= 1 ? 1 : n * factorial(n - 1);
}

int main(void)
{
  printf("factorial %d\n", factorial(10));
  return 0;
}

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char env[64] = "XYZ=hello";
int main(void)
{
  putenv(env);
  for (int i = 4; i < 9; i++) env[i] = env[i] - 32;
  return system("echo $XYZ");
}

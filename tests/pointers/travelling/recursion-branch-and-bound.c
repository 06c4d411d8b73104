#include <stdio.h>
#include <limits.h>
static int cost[3][4] = { {5, 3, 7, 4}, {9, 2, 6, 8}, {4, 4, 1, 3} };
static int solve(int depth, int sofar, int *best) {
  int local = INT_MAX, visited = 0;
  if (depth == 3) { if (sofar < *best) *best = sofar; return 1; }
  for (int i = 0; i < 4; i++) // LOOP for (int i = 3; i >= 0; i--)
    visited += sofar + cost[depth][i] < local ? solve(depth + 1, sofar + cost[depth][i], &local) : 0;
  if (best && local < *best) *best = local;
  return visited;
}
int main(void) {
  printf("%d\n", solve(0, 0, NULL));
}

/* The median of three by three pixels, by a network of exchanges, for planes of bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ORDER(a, b) { if (p[a] > p[b]) { unsigned char t = p[a]; p[a] = p[b]; p[b] = t; } }
#define PIXEL(img, x, y) ((img)[(y) * W + (x)])

static int W, H;

static unsigned char median9(unsigned char *p)
{
   ORDER(1, 2) ORDER(4, 5) ORDER(7, 8)
   ORDER(0, 1) ORDER(3, 4) ORDER(6, 7)
   ORDER(1, 2) ORDER(4, 5) ORDER(7, 8)
   ORDER(0, 3) ORDER(5, 8) ORDER(4, 7)
   ORDER(3, 6) ORDER(1, 4) ORDER(2, 5)
   ORDER(4, 7) ORDER(4, 2) ORDER(6, 4)
   ORDER(4, 2)
   return p[4];
}

static void despeckle(const unsigned char *in, unsigned char *out)
{
   int x, y, i, j, n;
   unsigned char window[9];

   memcpy(out, in, (size_t)W * H);
   for (y = 1; y < H - 1; y++)
   {
      for (x = 1; x < W - 1; x++)
      {
         n = 0;
         for (j = -1; j <= 1; j++)
            for (i = -1; i <= 1; i++)
               window[n++] = PIXEL(in, x + i, y + j);
         PIXEL(out, x, y) = median9(window);
      }
   }
}

static int specks(const unsigned char *a, const unsigned char *b)
{
   int i, n = 0;

   for (i = 0; i < W * H; i++)
      if (a[i] != b[i])
         n++;
   return n;
}

int main(int argc, char **argv)
{
   int times = argc > 2 ? atoi(argv[2]) : 2000, i, t;
   unsigned seed = 5;
   unsigned char *a, *b, *swap;
   long changed = 0;
   unsigned long sum = 0;
   struct timespec t0, t1;

   H = argc > 1 ? atoi(argv[1]) : 400;
   W = H + 11;
   a = malloc((size_t)W * H);
   b = malloc((size_t)W * H);
   for (i = 0; i < W * H; i++)
   {
      seed = seed * 1664525u + 1013904223u;
      a[i] = (seed >> 27) == 3 ? 255 : i % W / 4 + i / W / 4;
   }
   clock_gettime(CLOCK_MONOTONIC, &t0);
   for (t = 0; t < times; t++)
   {
      despeckle(a, b);
      changed += specks(a, b);
      swap = a; a = b; b = swap;
   }
   clock_gettime(CLOCK_MONOTONIC, &t1);
   for (i = 0; i < W * H; i++)
      sum = (sum * 31 + a[i]) % 1000000007UL;
   printf("%ld %lu\n", changed, sum);
   fprintf(stderr, "%.6f\n", (t1.tv_sec - t0.tv_sec) + 1e-9 * (t1.tv_nsec - t0.tv_nsec));
   free(a);
   free(b);
   return 0;
}

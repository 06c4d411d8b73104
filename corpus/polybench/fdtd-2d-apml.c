/* fdtd-2d-apml: a step of the magnetic field inside an anisotropic perfectly matched layer.
   The flux Bz follows the curl of E, damped along y; Hz follows Bz, damped along x and stretched along z. */
#include <stdio.h>
#include <stdlib.h>

#ifndef NZ
#define NZ 20
#endif
#ifndef NY
#define NY 24
#endif
#ifndef NX
#define NX 28
#endif

static double damp_x[NX + 1], keep_x[NX + 1];
static double damp_y[NY + 1], keep_y[NY + 1];
static double damp_z[NZ], keep_z[NZ];

static void init_arrays(double (*restrict ex)[NY + 1][NX + 1], double (*restrict ey)[NY + 1][NX + 1],
                        double (*restrict bz)[NY + 1][NX + 1], double (*restrict hz)[NY + 1][NX + 1])
{
  for (int x = 0; x <= NX; x++) {
    damp_x[x] = 0.9 - 0.01 * x;
    keep_x[x] = 1.1 + 0.01 * x;
  }
  for (int y = 0; y <= NY; y++) {
    damp_y[y] = 0.8 + 0.005 * (y % 100);
    keep_y[y] = 1.2 - 0.005 * (y % 100); /* never zero */
  }
  for (int z = 0; z < NZ; z++) {
    damp_z[z] = 0.7 + 0.01 * z;
    keep_z[z] = 1.3 - 0.01 * z;
    for (int y = 0; y <= NY; y++)
      for (int x = 0; x <= NX; x++) {
        ex[z][y][x] = (double)(z * (y + 1) + 2 * x) / NX;
        ey[z][y][x] = (double)(y * (x + 2) - 3 * z) / NY;
        bz[z][y][x] = 0.01 * (z + y + x) + 0.0001 * x * y;
        hz[z][y][x] = 0.02 * (z * y - x);
      }
  }
}

static void kernel_fdtd_2d_apml(double ch, double mui, double (*restrict ex)[NY + 1][NX + 1],
                                double (*restrict ey)[NY + 1][NX + 1], double (*restrict bz)[NY + 1][NX + 1],
                                double (*restrict hz)[NY + 1][NX + 1])
{
  double curl, flux;

  /* every cell changes its own bz and hz only */
  for (int z = 0; z < NZ; z++) {
    for (int y = 0; y < NY; y++) {
      for (int x = 0; x < NX; x++) {
        curl = ex[z][y][x] - ex[z][y + 1][x] + ey[z][y][x + 1] - ey[z][y][x];
        flux = damp_y[y] / keep_y[y] * bz[z][y][x] - ch / keep_y[y] * curl;
        hz[z][y][x] = damp_x[x] / keep_x[x] * hz[z][y][x] + mui * keep_z[z] / keep_x[x] * flux
                      - mui * damp_z[z] / keep_x[x] * bz[z][y][x];
        bz[z][y][x] = flux;
      }
      /* the last column: no ey beyond the wall */
      curl = ex[z][y][NX] - ex[z][y + 1][NX] - ey[z][y][NX];
      flux = damp_y[y] / keep_y[y] * bz[z][y][NX] - ch / keep_y[y] * curl;
      hz[z][y][NX] = damp_x[NX] / keep_x[NX] * hz[z][y][NX] + mui * keep_z[z] / keep_x[NX] * flux
                     - mui * damp_z[z] / keep_x[NX] * bz[z][y][NX];
      bz[z][y][NX] = flux;
    }
    /* the last row: no ex beyond the wall */
    for (int x = 0; x < NX; x++) {
      curl = ex[z][NY][x] + ey[z][NY][x + 1] - ey[z][NY][x];
      flux = damp_y[NY] / keep_y[NY] * bz[z][NY][x] - ch / keep_y[NY] * curl;
      hz[z][NY][x] = damp_x[x] / keep_x[x] * hz[z][NY][x] + mui * keep_z[z] / keep_x[x] * flux
                     - mui * damp_z[z] / keep_x[x] * bz[z][NY][x];
      bz[z][NY][x] = flux;
    }
  }
}

int main(void)
{
  double (*ex)[NY + 1][NX + 1] = malloc(sizeof(double[NZ][NY + 1][NX + 1]));
  double (*ey)[NY + 1][NX + 1] = malloc(sizeof(double[NZ][NY + 1][NX + 1]));
  double (*bz)[NY + 1][NX + 1] = malloc(sizeof(double[NZ][NY + 1][NX + 1]));
  double (*hz)[NY + 1][NX + 1] = malloc(sizeof(double[NZ][NY + 1][NX + 1]));
  if (ex == NULL || ey == NULL || bz == NULL || hz == NULL)
    return 1;

  init_arrays(ex, ey, bz, hz);
  kernel_fdtd_2d_apml(0.5, 0.8, ex, ey, bz, hz);

  double sum_b = 0.0, sum_h = 0.0;
  for (int z = 0; z < NZ; z++)
    for (int y = 0; y <= NY; y++)
      for (int x = 0; x <= NX; x++) {
        sum_b += bz[z][y][x] * (double)((z + 3 * y + 7 * x) % 17 + 1);
        sum_h += hz[z][y][x] * (double)((z + 3 * y + 7 * x) % 17 + 1);
      }
  printf("bz %.10e\n", sum_b);
  printf("hz %.10e\n", sum_h);
  free(ex);
  free(ey);
  free(bz);
  free(hz);
  return 0;
}

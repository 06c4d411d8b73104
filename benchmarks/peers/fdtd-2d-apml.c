/* fdtd-2d-apml by hand: planes in parallel, rows in vectors, with factors that are the same along a row taken out. */
static void kernel_fdtd_2d_apml(double ch, double mui, double (*restrict ex)[NY + 1][NX + 1],
                                double (*restrict ey)[NY + 1][NX + 1], double (*restrict bz)[NY + 1][NX + 1],
                                double (*restrict hz)[NY + 1][NX + 1])
{
  #pragma omp parallel for collapse(2)
  for (int z = 0; z < NZ; z++)
    for (int y = 0; y <= NY; y++) {
      double keep = damp_y[y] / keep_y[y], change = ch / keep_y[y];
      double stretch = mui * keep_z[z], damp = mui * damp_z[z];
      /* beyond the last row there is no ex, beyond the last column no ey */
      int below = y < NY ? y + 1 : y;
      double has_below = y < NY ? 1.0 : 0.0;
      #pragma omp simd
      for (int x = 0; x < NX; x++) {
        double curl = ex[z][y][x] - has_below * ex[z][below][x] + ey[z][y][x + 1] - ey[z][y][x];
        double flux = keep * bz[z][y][x] - change * curl;
        hz[z][y][x] = (damp_x[x] * hz[z][y][x] + stretch * flux - damp * bz[z][y][x]) / keep_x[x];
        bz[z][y][x] = flux;
      }
      if (y < NY) {
        double curl = ex[z][y][NX] - ex[z][y + 1][NX] - ey[z][y][NX];
        double flux = keep * bz[z][y][NX] - change * curl;
        hz[z][y][NX] = (damp_x[NX] * hz[z][y][NX] + stretch * flux - damp * bz[z][y][NX]) / keep_x[NX];
        bz[z][y][NX] = flux;
      }
    }
}

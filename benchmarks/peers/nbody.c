/* nbody by hand: bodies in parallel, the pull of the others in vectors. */
static void kernel_nbody(double dt)
{
  #pragma omp parallel for
  for (int i = 0; i < N; i++) {
    double ax = 0.0, ay = 0.0, az = 0.0;
    #pragma omp simd reduction(+ : ax, ay, az)
    for (int j = 0; j < N; j++) {
      double dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
      double square = dx * dx + dy * dy + dz * dz + 0.01;
      double pull = mass[j] / (square * sqrt(square));
      ax += pull * dx;
      ay += pull * dy;
      az += pull * dz;
    }
    vx[i] += dt * ax;
    vy[i] += dt * ay;
    vz[i] += dt * az;
  }
  #pragma omp parallel for simd
  for (int i = 0; i < N; i++) {
    x[i] += dt * vx[i];
    y[i] += dt * vy[i];
    z[i] += dt * vz[i];
  }
}

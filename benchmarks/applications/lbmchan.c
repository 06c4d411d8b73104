/* D2Q9 lattice Boltzmann, BGK, channel with cylinders.  "pull nothing, push
 * everything": populations are collided in place and then pushed along the
 * direction tables into the second lattice. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>

enum { FLUID, SOLID, WALL };
#define Q 9

static const int ex[Q]  = { 0, 1, 0, -1, 0, 1, -1, -1, 1 };
static const int ey[Q]  = { 0, 0, 1, 0, -1, 1, 1, -1, -1 };
static const int opp[Q] = { 0, 3, 4, 1, 2, 7, 8, 5, 6 };
static const double wt[Q] = { 4./9, 1./9, 1./9, 1./9, 1./9, 1./36, 1./36, 1./36, 1./36 };

typedef struct lattice {
	int nx, ny;
	double tau, force;
	double *f, *g;          /* [(y*nx+x)*Q + q] */
	double *rho, *ux, *uy;
	unsigned char *flag;
	int *nbr;               /* target cell of every push */
} lattice;

static void *xmalloc(size_t n)
{
	void *p = calloc(1, n);
	if (!p) abort();
	return p;
}

static double feq(int q, double rho, double u, double v)
{
	double cu = ex[q] * u + ey[q] * v;
	return wt[q] * rho * (1.0 + 3.0 * cu + 4.5 * cu * cu - 1.5 * (u * u + v * v));
}

static lattice *lattice_new(int nx, int ny, double tau, double force)
{
	lattice *L = xmalloc(sizeof *L);
	int x, y, q;
	size_t n = (size_t)nx * ny;
	L->nx = nx; L->ny = ny; L->tau = tau; L->force = force;
	L->f = xmalloc(n * Q * sizeof(double));
	L->g = xmalloc(n * Q * sizeof(double));
	L->rho = xmalloc(n * sizeof(double));
	L->ux = xmalloc(n * sizeof(double));
	L->uy = xmalloc(n * sizeof(double));
	L->flag = xmalloc(n);
	L->nbr = xmalloc(n * Q * sizeof(int));
	for (y = 0; y < ny; y++)
		for (x = 0; x < nx; x++) {
			int c = y * nx + x;
			if (y == 0 || y == ny - 1) L->flag[c] = WALL;
			for (q = 0; q < Q; q++) {
				int xx = (x + ex[q] + nx) % nx, yy = (y + ey[q] + ny) % ny;
				L->nbr[c * Q + q] = yy * nx + xx;
				L->f[c * Q + q] = feq(q, 1.0, 0.03 * sin(3.1415926 * y / ny), 0.002 * sin(6.28318 * x / nx));
			}
		}
	return L;
}

static void lattice_free(lattice *L)
{
	free(L->f); free(L->g); free(L->rho); free(L->ux); free(L->uy);
	free(L->flag); free(L->nbr); free(L);
}

static void add_cylinder(lattice *L, double cx, double cy, double r)
{
	int x, y;
	for (y = 0; y < L->ny; y++)
		for (x = 0; x < L->nx; x++)
			if ((x - cx) * (x - cx) + (y - cy) * (y - cy) < r * r)
				L->flag[y * L->nx + x] = SOLID;
}

static void moments(lattice *L, int c)
{
	const double *f = L->f + (size_t)c * Q;
	double r = 0, u = 0, v = 0;
	int q;
	for (q = 0; q < Q; q++) {
		r += f[q];
		u += ex[q] * f[q];
		v += ey[q] * f[q];
	}
	L->rho[c] = r;
	L->ux[c] = (u + 0.5 * L->force) / r;
	L->uy[c] = v / r;
}

static void collide_cell(lattice *L, int c)
{
	double *f = L->f + (size_t)c * Q, om = 1.0 / L->tau;
	int q;
	moments(L, c);
	for (q = 0; q < Q; q++)
		f[q] += om * (feq(q, L->rho[c], L->ux[c], L->uy[c]) - f[q])
			+ (1.0 - 0.5 * om) * 3.0 * wt[q] * ex[q] * L->force;
}

static void collide(lattice *L)
{
	int c, n = L->nx * L->ny;
/* OMP: parallel for */
	for (c = 0; c < n; c++)
		if (L->flag[c] == FLUID)
			collide_cell(L, c);
}

/* momentum handed to the cylinders is returned in *fx, *fy */
static void stream(lattice *L, double *fx, double *fy)
{
	int c, q, t, n = L->nx * L->ny;
	double sx = 0, sy = 0, *tmp;
/* OMP: parallel for private(q,t) reduction(+:sx,sy) */
	for (c = 0; c < n; c++) {
		if (L->flag[c] != FLUID) continue;
		for (q = 0; q < Q; q++) {
			t = L->nbr[c * Q + q];
			if (L->flag[t] == FLUID)
				L->g[(size_t)t * Q + q] = L->f[(size_t)c * Q + q];
			else {
				L->g[(size_t)c * Q + opp[q]] = L->f[(size_t)c * Q + q];
				if (L->flag[t] == SOLID) {
					sx += 2.0 * ex[q] * L->f[(size_t)c * Q + q];
					sy += 2.0 * ey[q] * L->f[(size_t)c * Q + q];
				}
			}
		}
	}
	*fx = sx;
	*fy = sy;
	tmp = L->f; L->f = L->g; L->g = tmp;
}

/* largest velocity change since the last call */
static double change(lattice *L, double *old)
{
	double m = 0, d;
	int c;
	for (c = 0; c < L->nx * L->ny; c++) {
		if (L->flag[c] != FLUID) { old[c] = 0; continue; }
		d = fabs(L->ux[c] - old[c]);
		if (d > m) m = d;
		old[c] = L->ux[c];
	}
	return m;
}

static double vorticity_stats(lattice *L, double *wmin, double *wmax)
{
	int x, y, nx = L->nx;
	double s = 0, lo = 0, hi = 0;
/* OMP: parallel for private(x) reduction(+:s) reduction(min:lo) reduction(max:hi) */
	for (y = 1; y < L->ny - 1; y++)
		for (x = 1; x < nx - 1; x++) {
			int c = y * nx + x;
			double w = 0.5 * (L->uy[c + 1] - L->uy[c - 1] - L->ux[c + nx] + L->ux[c - nx]);
			s += w * w;
			if (w < lo) lo = w;
			if (w > hi) hi = w;
		}
	*wmin = lo;
	*wmax = hi;
	return s;
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 160, t, c;
	lattice *L = lattice_new(240, 100, 0.58, 4.0e-6);
	double fx = 0, fy = 0, avgx = 0, avgy = 0, mass = 0, lo, hi, ens;
	double *old = xmalloc(sizeof(double) * L->nx * L->ny);
	add_cylinder(L, 50.3, 51.2, 9.0);
	add_cylinder(L, 110.0, 30.5, 6.5);
	add_cylinder(L, 150.7, 70.0, 7.5);
	for (t = 1; t <= steps; t++) {
		collide(L);
		stream(L, &fx, &fy);
		avgx += fx / steps;
		avgy += fy / steps;
		if (t % 40 == 0)
			printf("%4d change %.6e drag %.6e\n", t, change(L, old), fx);
	}
	for (c = 0; c < L->nx * L->ny; c++)
		if (L->flag[c] == FLUID) {
			moments(L, c);
			mass += L->rho[c];
		}
	ens = vorticity_stats(L, &lo, &hi);
	printf("mass %.8e mean drag %.6e lift %.5e enstrophy %.6e vort %.6e %.6e\n", mass, avgx, avgy, ens, lo, hi);
	free(old);
	lattice_free(L);
	return 0;
}

/* Particles that repel each other at short range; linked lists of those in a cell find the neighbours. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct {
	int n, cells;
	double box, cutoff;
	double *x, *y, *vx, *vy, *fx, *fy;
	int *head, *next;
} sim;

static int cell_of(const sim *s, double x, double y)
{
	int i = (int)(x / s->box * s->cells), j = (int)(y / s->box * s->cells);

	if (i >= s->cells) i = s->cells - 1;
	if (j >= s->cells) j = s->cells - 1;
	return j * s->cells + i;
}

static void bin(sim *s)
{
	int c, p;

	for (c = 0; c < s->cells * s->cells; c++)
		s->head[c] = -1;
	for (p = 0; p < s->n; p++) {
		c = cell_of(s, s->x[p], s->y[p]);
		s->next[p] = s->head[c];
		s->head[c] = p;
	}
}

static double nearest_image(double d, double box)
{
	if (d > 0.5 * box) return d - box;
	if (d < -0.5 * box) return d + box;
	return d;
}

static double force_on(sim *s, int p)
{
	int home = cell_of(s, s->x[p], s->y[p]), hi = home % s->cells, hj = home / s->cells, di, dj, q;
	double fx = 0, fy = 0, pot = 0;

	for (dj = -1; dj <= 1; dj++)
		for (di = -1; di <= 1; di++) {
			int i = (hi + di + s->cells) % s->cells, j = (hj + dj + s->cells) % s->cells;
			for (q = s->head[j * s->cells + i]; q >= 0; q = s->next[q]) {
				double dx = nearest_image(s->x[p] - s->x[q], s->box);
				double dy = nearest_image(s->y[p] - s->y[q], s->box);
				double r2 = dx * dx + dy * dy, r;
				if (q == p || r2 >= s->cutoff * s->cutoff)
					continue;
				r = sqrt(r2 + 1e-12);
				fx += (s->cutoff - r) * dx / r;
				fy += (s->cutoff - r) * dy / r;
				pot += 0.25 * (s->cutoff - r) * (s->cutoff - r);
			}
		}
	s->fx[p] = fx;
	s->fy[p] = fy;
	return pot;
}

static double step(sim *s, double dt)
{
	double pot = 0;
	int p;

	bin(s);
	for (p = 0; p < s->n; p++)
		pot += force_on(s, p);
	for (p = 0; p < s->n; p++) {
		s->vx[p] += dt * s->fx[p];
		s->vy[p] += dt * s->fy[p];
		s->x[p] = fmod(s->x[p] + dt * s->vx[p] + s->box, s->box);
		s->y[p] = fmod(s->y[p] + dt * s->vy[p] + s->box, s->box);
	}
	return pot;
}

static double *zeros(int n) { return calloc(n, sizeof(double)); }

int main(int argc, char **argv)
{
	int steps = argc > 2 ? atoi(argv[2]) : 45, p, k;
	sim s = { .n = argc > 1 ? atoi(argv[1]) : 6000, .cutoff = 1.0 };
	double sum = 0;
	struct timespec a, b;

	s.box = sqrt(s.n / 3.0);
	if (s.box < 4) s.box = 4;
	s.cells = (int)s.box;
	s.x = zeros(s.n); s.y = zeros(s.n); s.vx = zeros(s.n); s.vy = zeros(s.n); s.fx = zeros(s.n); s.fy = zeros(s.n);
	s.head = malloc(s.cells * s.cells * sizeof(int));
	s.next = malloc(s.n * sizeof(int));
	for (p = 0; p < s.n; p++) {
		s.x[p] = s.box * (p * 377L % 10007 % 1000 / 1000.0);
		s.y[p] = s.box * (p * 613L % 20011 % 997 / 997.0);
	}
	clock_gettime(CLOCK_MONOTONIC, &a);
	for (k = 0; k < steps; k++)
		sum += step(&s, 0.01);
	clock_gettime(CLOCK_MONOTONIC, &b);
	printf("%.7e\n", sum);
	fprintf(stderr, "%.6f\n", (b.tv_sec - a.tv_sec) + 1e-9 * (b.tv_nsec - a.tv_nsec));
	return 0;
}

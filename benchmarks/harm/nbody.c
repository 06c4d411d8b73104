/*
 * Gravity between all pairs, leapfrog; an array of structures with vectors in it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <time.h>

typedef struct vec3 { double x, y, z; } vec3;

typedef struct body
{
	vec3	pos, vel, acc;
	double	mass;
} body;

static inline vec3 sub(vec3 a, vec3 b) { vec3 r = { a.x - b.x, a.y - b.y, a.z - b.z }; return r; }
static inline vec3 scale(vec3 a, double s) { vec3 r = { a.x * s, a.y * s, a.z * s }; return r; }
static inline vec3 add(vec3 a, vec3 b) { vec3 r = { a.x + b.x, a.y + b.y, a.z + b.z }; return r; }
static inline double dot(vec3 a, vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static void forces(body *b, int n)
{
	int i, j;

	for (i = 0; i < n; i++)
	{
		vec3 acc = { 0, 0, 0 };

		for (j = 0; j < n; j++)
		{
			vec3 d;
			double r2, inv;

			if (i == j)
				continue;
			d = sub(b[j].pos, b[i].pos);
			r2 = dot(d, d) + 1e-4;
			inv = b[j].mass / (r2 * sqrt(r2));
			acc = add(acc, scale(d, inv));
		}
		b[i].acc = acc;
	}
}

static void kick(body *b, int n, double dt)
{
	int i;

	for (i = 0; i < n; i++)
		b[i].vel = add(b[i].vel, scale(b[i].acc, dt));
}

static void drift(body *b, int n, double dt)
{
	int i;

	for (i = 0; i < n; i++)
		b[i].pos = add(b[i].pos, scale(b[i].vel, dt));
}

static double energy(const body *b, int n)
{
	double e = 0;
	int i, j;

	for (i = 0; i < n; i++)
	{
		e += 0.5 * b[i].mass * dot(b[i].vel, b[i].vel);
		for (j = i + 1; j < n; j++)
		{
			vec3 d = sub(b[i].pos, b[j].pos);
			e -= b[i].mass * b[j].mass / sqrt(dot(d, d) + 1e-4);
		}
	}
	return e;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 900, steps = argc > 2 ? atoi(argv[2]) : 40, i;
	body *b = malloc(n * sizeof(body));
	struct timespec from, to;
	const double dt = 1e-3;

	for (i = 0; i < n; i++)
	{
		b[i].pos.x = (i * 37 % 101) / 101.0;
		b[i].pos.y = (i * 53 % 211) / 211.0;
		b[i].pos.z = (i * 71 % 307) / 307.0;
		b[i].vel.x = b[i].vel.y = b[i].vel.z = 0;
		b[i].mass = (1.0 + i % 3) / n;
	}
	clock_gettime(CLOCK_MONOTONIC, &from);
	forces(b, n);
	for (i = 0; i < steps; i++)
	{
		kick(b, n, dt / 2);
		drift(b, n, dt);
		forces(b, n);
		kick(b, n, dt / 2);
	}
	clock_gettime(CLOCK_MONOTONIC, &to);
	printf("energy %.9f\n", energy(b, n));
	fprintf(stderr, "%.6f\n", (to.tv_sec - from.tv_sec) + 1e-9 * (to.tv_nsec - from.tv_nsec));
	free(b);
	return 0;
}

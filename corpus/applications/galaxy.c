/*
 * galaxy.c: two colliding disk galaxies, Barnes-Hut octree, leapfrog.
 *
 *	galaxy [bodies [steps [theta]]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdbool.h>
#include <math.h>

#define EPS2		(0.05 * 0.05)
#define LEAF_MAX	6
#define MAX_DEPTH	40

struct body {
	double pos[3];
	double vel[3];
	double acc[3];
	double mass;
	struct body *next;		/* other bodies of the same leaf */
};

struct node {
	double centre[3], half;		/* the cube */
	double com[3], mass;
	struct node *child[8];
	struct body *first;		/* only in leaves */
	unsigned count;
	bool leaf;
};

struct tree {
	struct node *root;
	struct node *pool;
	unsigned used, size;
};

static unsigned long long rng = 88172645463325252ULL;

static double frand(void)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return (double)(rng >> 11) / 9007199254740992.0;
}

static struct node *node_alloc(struct tree *t, const double *centre, double half)
{
	struct node *n;

	if (t->used == t->size) {
		fprintf(stderr, "galaxy: node pool of %u is full\n", t->size);
		exit(1);
	}
	n = &t->pool[t->used++];
	memset(n, 0, sizeof(*n));
	memcpy(n->centre, centre, sizeof(n->centre));
	n->half = half;
	n->leaf = true;
	return n;
}

static inline unsigned octant(const struct node *n, const double *p)
{
	return (p[0] > n->centre[0]) | (p[1] > n->centre[1]) << 1 |
	       (p[2] > n->centre[2]) << 2;
}

static void insert(struct tree *t, struct node *n, struct body *b, int depth)
{
	for (;;) {
		unsigned o;

		if (n->leaf) {
			if (n->count < LEAF_MAX || depth >= MAX_DEPTH) {
				b->next = n->first;
				n->first = b;
				n->count++;
				return;
			}
			/* split: hand the old bodies down, then go on */
			struct body *list = n->first;
			n->leaf = false;
			n->first = NULL;
			n->count = 0;
			while (list) {
				struct body *next = list->next;
				insert(t, n, list, depth);
				list = next;
			}
		}
		o = octant(n, b->pos);
		if (!n->child[o]) {
			double c[3], h = 0.5 * n->half;

			for (int k = 0; k < 3; k++)
				c[k] = n->centre[k] + ((o >> k) & 1 ? h : -h);
			n->child[o] = node_alloc(t, c, h);
		}
		n = n->child[o];
		depth++;
	}
}

static void summarise(struct node *n)
{
	double m = 0, c[3] = { 0, 0, 0 };
	if (n->leaf) {
		for (struct body *b = n->first; b; b = b->next) {
			m += b->mass;
			for (int k = 0; k < 3; k++)
				c[k] += b->mass * b->pos[k];
		}
	} else {
		for (int o = 0; o < 8; o++) {
			struct node *ch = n->child[o];

			if (!ch)
				continue;
			summarise(ch);
			m += ch->mass;
			for (int k = 0; k < 3; k++)
				c[k] += ch->mass * ch->com[k];
		}
	}
	n->mass = m;
	for (int k = 0; k < 3; k++)
		n->com[k] = m > 0 ? c[k] / m : n->centre[k];
}

static void tree_build(struct tree *t, struct body *bodies, size_t n)
{
	static const double origin[3];
	double size = 1e-3;

	for (size_t i = 0; i < n; i++)
		for (int k = 0; k < 3; k++)
			if (fabs(bodies[i].pos[k]) > size)
				size = fabs(bodies[i].pos[k]);
	t->used = 0;
	t->root = node_alloc(t, origin, size * 1.0001);
	for (size_t i = 0; i < n; i++)
		insert(t, t->root, &bodies[i], 0);
	summarise(t->root);
}

static void pull(const double *from, double mass, const double *at, double *acc)
{
	double d[3] = { from[0] - at[0], from[1] - at[1], from[2] - at[2] };
	double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + EPS2;
	double s = mass / (r2 * sqrt(r2));

	for (int k = 0; k < 3; k++)
		acc[k] += s * d[k];
}

/* returns the number of interactions */
static long walk(const struct node *n, const struct body *b, double theta2, double *acc)
{
	double dx = n->com[0] - b->pos[0];
	double dy = n->com[1] - b->pos[1];
	double dz = n->com[2] - b->pos[2];
	long count = 0;

	if (n->leaf) {
		for (const struct body *o = n->first; o; o = o->next) {
			if (o == b)
				continue;
			pull(o->pos, o->mass, b->pos, acc);
			count++;
		}
		return count;
	}
	if (4 * n->half * n->half < theta2 * (dx * dx + dy * dy + dz * dz)) {
		pull(n->com, n->mass, b->pos, acc);
		return 1;
	}
	for (int o = 0; o < 8; o++)
		if (n->child[o])
			count += walk(n->child[o], b, theta2, acc);
	return count;
}

static long forces(const struct tree *t, struct body *bodies, size_t n, double theta)
{
	long total = 0;

	/* OMP: parallel for schedule(dynamic,64) reduction(+:total) */
	for (size_t i = 0; i < n; i++) {
		struct body *b = bodies + i;
		memset(b->acc, 0, sizeof(b->acc));
		total += walk(t->root, b, theta * theta, b->acc);
	}
	return total;
}

static double energy(const struct body *b, size_t n)
{
	double kin = 0, pot = 0;

	/* OMP: parallel for schedule(dynamic,32) reduction(+:kin,pot) */
	for (size_t i = 0; i < n; i++) {
		kin += 0.5 * b[i].mass * (b[i].vel[0] * b[i].vel[0] +
			b[i].vel[1] * b[i].vel[1] + b[i].vel[2] * b[i].vel[2]);
		for (size_t j = i + 1; j < n; j++) {
			double r2 = EPS2;
			for (int k = 0; k < 3; k++) {
				double d = b[i].pos[k] - b[j].pos[k];
				r2 += d * d;
			}
			pot -= b[i].mass * b[j].mass / sqrt(r2);
		}
	}
	return kin + pot;
}

static void make_disk(struct body *b, size_t n, double x0, double y0, double vx, double tilt)
{
	double ct = cos(tilt), st = sin(tilt);
	for (size_t i = 0; i < n; i++, b++) {
		double r = 0.1 + 1.9 * sqrt(frand()), phi = 2 * M_PI * frand();
		double z = 0.05 * (frand() - 0.5);
		double v = sqrt(0.125 * pow(r, 4) / pow(r * r + 0.04, 1.5));
		double p[2] = { r * cos(phi), r * sin(phi) };
		double w[2] = { -v * sin(phi), v * cos(phi) };

		b->mass = 0.5 / (double)n;
		b->pos[0] = x0 + p[0];
		b->pos[1] = y0 + ct * p[1] - st * z;
		b->pos[2] = st * p[1] + ct * z;
		b->vel[0] = vx + w[0];
		b->vel[1] = ct * w[1];
		b->vel[2] = st * w[1];
	}
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double half_mass_radius(const struct body *b, size_t n)
{
	double *r = malloc(n * sizeof(*r)), half;
	if (!r)
		exit(1);
	for (size_t i = 0; i < n; i++)
		r[i] = sqrt(b[i].pos[0] * b[i].pos[0] + b[i].pos[1] * b[i].pos[1] +
			    b[i].pos[2] * b[i].pos[2]);
	qsort(r, n, sizeof(*r), by_value);
	half = r[n / 2];
	free(r);
	return half;
}

int main(int argc, char **argv)
{
	long nb = argc > 1 ? atol(argv[1]) : 8000;
	int steps = argc > 2 ? atoi(argv[2]) : 16;
	double theta = argc > 3 ? atof(argv[3]) : 0.7, dt = 0.02;

	if (nb < 2 || steps < 1 || theta <= 0) {
		fprintf(stderr, "usage: galaxy [bodies [steps [theta]]]\n");
		return 2;
	}

	size_t n = (size_t)nb;
	struct body *bodies = calloc(n, sizeof(*bodies));
	struct tree tree = { NULL, NULL, 0, 2 * (unsigned)n + 1024 };

	tree.pool = malloc(tree.size * sizeof(*tree.pool));
	if (!bodies || !tree.pool)
		return 1;
	make_disk(bodies, n / 2, -2.5, -0.4, 0.35, 0.3);
	make_disk(bodies + n / 2, n - n / 2, 2.5, 0.4, -0.35, 1.1);
	printf("start energy %.6e half-mass radius %.5e\n", energy(bodies, n),
	       half_mass_radius(bodies, n));

	for (int s = 0; s < steps; s++) {
		long inter;
		tree_build(&tree, bodies, n);
		inter = forces(&tree, bodies, n, theta);
		for (struct body *b = bodies; b < bodies + n; b++)
			for (int k = 0; k < 3; k++) {
				b->vel[k] += dt * b->acc[k];
				b->pos[k] += dt * b->vel[k];
			}
		if (s % 4 == 3)
			printf("step %d nodes %u interactions %ld\n", s + 1, tree.used, inter);
	}
	printf("end   energy %.6e half-mass radius %.5e\n", energy(bodies, n),
	       half_mass_radius(bodies, n));
	free(tree.pool);
	free(bodies);
	return 0;
}

/* ljcells -- molecular dynamics of a Lennard-Jones fluid, linked cells.
   Reduced units, periodic cube, velocity Verlet, truncated + shifted potential.  */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>

#define DIM 3
#define RDF_BINS 100
#define FOR_DIM(k) for (int k = 0; k < DIM; k++)
#define SQR(x) ((x) * (x))

struct atom
{
  double r[DIM], v[DIM], f[DIM];
  double epot;
  int next;			/* next atom of the same cell, -1 at the end */
  int crossings[DIM];		/* how often the periodic wall was passed */
};

struct cells
{
  int per_side, total, *head, (*neigh)[27];
  double side;
};

struct observables
{
  double epot, ekin, virial, temp, tested, interacting;
};

struct sim
{
  size_t n;
  struct atom *a;
  struct cells c;
  double box, rcut, dt;
  double rdf[RDF_BINS], rdf_samples;
  struct observables now, sum;
};

static unsigned long long rnd_state = 88172645463325252ULL;

static double
rnd (void)
{
  rnd_state ^= rnd_state << 13;
  rnd_state ^= rnd_state >> 7;
  rnd_state ^= rnd_state << 17;
  return (double) (rnd_state >> 12) / 4503599627370496.0;
}

static int
cells_init (struct cells *c, double box, double rcut)
{
  int m = c->per_side = (int) (box / rcut);
  if (m < 3)
    return -1;
  c->total = m * m * m;
  c->side = box / m;
  c->head = malloc ((size_t) c->total * sizeof *c->head);
  c->neigh = malloc ((size_t) c->total * sizeof *c->neigh);
  if (!c->head || !c->neigh)
    return -1;
  for (int z = 0; z < m; z++)
    for (int y = 0; y < m; y++)
      for (int x = 0; x < m; x++)
	{
	  int *out = c->neigh[(z * m + y) * m + x];
	  for (int d = 0; d < 27; d++)
	    {
	      int nx = (x + d % 3 - 1 + m) % m, ny = (y + d / 3 % 3 - 1 + m) % m;
	      int nz = (z + d / 9 - 1 + m) % m;
	      *out++ = (nz * m + ny) * m + nx;
	    }
	}
  return 0;
}

static inline int
cell_index (const struct cells *c, const double *r)
{
  int k[DIM];
  FOR_DIM (d)
    {
      k[d] = (int) (r[d] / c->side);
      k[d] -= k[d] >= c->per_side;
    }
  return (k[2] * c->per_side + k[1]) * c->per_side + k[0];
}

static void
cells_fill (struct sim *s)
{
  for (int k = 0; k < s->c.total; k++)
    s->c.head[k] = -1;
  for (int i = (int) s->n - 1; i >= 0; i--)
    {
      int k = cell_index (&s->c, s->a[i].r);
      s->a[i].next = s->c.head[k];
      s->c.head[k] = i;
    }
}

/* nearest image distance */
static inline double
separation (const double *p, const double *q, double box, double *d)
{
  double r2 = 0, half = 0.5 * box;
  FOR_DIM (k)
    {
      d[k] = p[k] - q[k];
      if (d[k] > half)
	d[k] -= box;
      else if (d[k] < -half)
	d[k] += box;
      r2 += d[k] * d[k];
    }
  return r2;
}

static void
forces (struct sim *s)
{
  const double rc2 = SQR (s->rcut), irc6 = 1.0 / (rc2 * rc2 * rc2);
  const double shift = 4 * irc6 * (irc6 - 1);
  double epot = 0, virial = 0;
  long tested = 0, hit = 0;

/* OMP: parallel for schedule(dynamic, 4) reduction(+:epot, virial, tested, hit) */
  for (int c = 0; c < s->c.total; c++)
    for (int i = s->c.head[c]; i >= 0; i = s->a[i].next)
      {
	double f[DIM] = { 0, 0, 0 }, e = 0;

	for (int nb = 0; nb < 27; nb++)
	  for (int j = s->c.head[s->c.neigh[c][nb]]; j >= 0; j = s->a[j].next)
	    {
	      double d[DIM], r2, ir2, ir6, w;
	      if (j == i)
		continue;
	      tested++;
	      r2 = separation (s->a[i].r, s->a[j].r, s->box, d);
	      if (r2 >= rc2)
		continue;
	      hit++;
	      ir2 = 1 / r2;
	      ir6 = ir2 * ir2 * ir2;
	      w = 48 * ir6 * (ir6 - 0.5);
	      e += 4 * ir6 * (ir6 - 1) - shift;
	      virial += 0.5 * w;
	      FOR_DIM (k) f[k] += w * ir2 * d[k];
	    }
	FOR_DIM (k) s->a[i].f[k] = f[k];
	s->a[i].epot = 0.5 * e;
	epot += 0.5 * e;
      }
  s->now.epot = epot;
  s->now.virial = virial;
  s->now.tested = (double) tested;
  s->now.interacting = (double) hit;
}

static void
kick (struct sim *s)
{
  for (size_t i = 0; i < s->n; i++)
    FOR_DIM (k) s->a[i].v[k] += 0.5 * s->dt * s->a[i].f[k];
}

static void
drift (struct sim *s)
{
  struct atom *p = s->a, *end = s->a + s->n;
  do
    FOR_DIM (k)
      {
	p->r[k] += s->dt * p->v[k];
	if (p->r[k] < 0)
	  p->r[k] += s->box, p->crossings[k]--;
	else if (p->r[k] >= s->box)
	  p->r[k] -= s->box, p->crossings[k]++;
      }
  while (++p < end);
}

/* radial distribution up to the cutoff */
static void
sample_rdf (struct sim *s)
{
  double count[RDF_BINS] = { 0 };
  const double scale = RDF_BINS / s->rcut;

/* OMP: parallel for schedule(dynamic, 4) reduction(+:count[:RDF_BINS]) */
  for (int c = 0; c < s->c.total; c++)
    for (int nb = 0; nb < 27; nb++)
      for (int i = s->c.head[c]; i >= 0; i = s->a[i].next)
	for (int j = s->c.head[s->c.neigh[c][nb]]; j >= 0; j = s->a[j].next)
	  {
	    double d[DIM];
	    int bin = (int) (sqrt (separation (s->a[i].r, s->a[j].r, s->box, d)) * scale);
	    if (i != j && bin < RDF_BINS)
	      count[bin] += 1;
	  }
  for (int b = 0; b < RDF_BINS; b++)
    s->rdf[b] += count[b];
  s->rdf_samples++;
}

static void
setup (struct sim *s, int side, double density, double temp)
{
  double mean[DIM] = { 0 };
  s->box = cbrt ((double) s->n / density);
  for (size_t i = 0; i < s->n; i++)
    {
      int g[DIM] = { (int) i % side, (int) i / side % side, (int) i / side / side };
      FOR_DIM (k)
	{
	  s->a[i].r[k] = (g[k] + 0.5 + 0.1 * (rnd () - 0.5)) * s->box / side;
	  s->a[i].v[k] = sqrt (12 * temp) * (rnd () - 0.5);
	  mean[k] += s->a[i].v[k] / (double) s->n;
	}
    }
  for (size_t i = 0; i < s->n; i++)
    FOR_DIM (k) s->a[i].v[k] -= mean[k];
}

int
main (int argc, char **argv)
{
  const int side = 14, steps = argc > 1 ? atoi (argv[1]) : 40;
  struct sim s = { .rcut = 2.5, .dt = 0.004 };
  int rc = EXIT_FAILURE;

  s.n = (size_t) side * side * side;
  if (!(s.a = calloc (s.n, sizeof *s.a)))
    return rc;
  setup (&s, side, 0.80, 1.2);
  if (cells_init (&s.c, s.box, s.rcut))
    goto end;
  cells_fill (&s);
  forces (&s);
  for (int t = 1; t <= steps; t++)
    {
      kick (&s);
      drift (&s);
      cells_fill (&s);
      forces (&s);
      kick (&s);
      s.now.ekin = 0;
      for (size_t i = 0; i < s.n; i++)
	FOR_DIM (k) s.now.ekin += 0.5 * SQR (s.a[i].v[k]);
      s.now.temp = 2 * s.now.ekin / (3.0 * (double) s.n);
      s.sum.temp += s.now.temp / steps;
      s.sum.virial += s.now.virial / steps;
      s.sum.interacting += s.now.interacting / (steps * (double) s.n);
      if (t % 10 == 0)
	{
	  sample_rdf (&s);
	  printf ("%4d  E/N %.5g  U/N %.6g  T %.6g\n", t, (s.now.epot + s.now.ekin) / (double) s.n,
		  s.now.epot / (double) s.n, s.now.temp);
	}
    }
  double vol = s.box * s.box * s.box, peak = 0;
  for (int b = 1; b < RDF_BINS; b++)
    {
      double dr = s.rcut / RDF_BINS, shell = 4.18879020478639 * dr * dr * dr * (3.0 * b * b + 3.0 * b + 1);
      peak = fmax (peak, s.rdf[b] * vol / ((double) s.n * (double) s.n * shell * s.rdf_samples));
    }
  printf ("mean T %.6g  pressure %.6g  neighbours %.4g  g(r) peak %.4g\n", s.sum.temp,
	  ((double) s.n * s.sum.temp + s.sum.virial / 3) / vol, s.sum.interacting, peak);
  rc = EXIT_SUCCESS;
end:
  free (s.a);
  free (s.c.head);
  free (s.c.neigh);
  return rc;
}

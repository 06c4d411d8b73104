/* mesh -- geometry processing on a noisy, bumpy torus.

   Usage: mesh [rings] [segments] [smoothing steps] [rays per side]

   Builds the vertex adjacency, smooths the surface (Taubin lambda/mu
   Laplacian), computes vertex normals and Gaussian curvature, and shoots a
   grid of rays at the result.  */

#include <stdio.h>
#include <stdlib.h>
#include <math.h>

struct vec3 { double x, y, z; };
struct face { unsigned v[3]; };

/* Compressed lists: the entries of vertex I are
   item[start[I]] ... item[start[I + 1] - 1].  */
struct incidence { unsigned *start, *item; };

struct mesh
{
  unsigned nv, nf;
  struct vec3 *pos, *normal;
  struct face *face;
  struct incidence faces_of;
};

struct ray { struct vec3 org, dir; };

struct hit
{
  int face;			/* -1: missed */
  double t;
  double facing;		/* cosine with the normal of a corner */
};

#define NEW(type, n) ((type *) xcalloc ((n), sizeof (type)))

static void *xcalloc (size_t n, size_t size)
{
  void *p = calloc (n ? n : 1, size);
  if (p)
    return p;
  fprintf (stderr, "mesh: memory exhausted\n");
  exit (EXIT_FAILURE);
}

static inline struct vec3 v3 (double x, double y, double z)
{ struct vec3 r = { x, y, z }; return r; }
static inline struct vec3 sub (struct vec3 a, struct vec3 b)
{ return v3 (a.x - b.x, a.y - b.y, a.z - b.z); }
static inline struct vec3 madd (struct vec3 a, double s, struct vec3 b)
{ return v3 (a.x + s * b.x, a.y + s * b.y, a.z + s * b.z); }
static inline double dot (struct vec3 a, struct vec3 b)
{ return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline struct vec3 cross (struct vec3 a, struct vec3 b)
{ return v3 (a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x); }
static inline double norm (struct vec3 a)
{ return sqrt (dot (a, a)); }

static struct vec3 unit (struct vec3 a)
{
  double len = norm (a);
  return len > 0 ? v3 (a.x / len, a.y / len, a.z / len) : a;
}

static double jitter (void)
{
  static unsigned s = 4242;
  s = s * 69069u + 1u;
  return (s >> 8) / 16777216.0 - 0.5;
}

static void make_torus (struct mesh *m, unsigned rings, unsigned segs)
{
  m->nv = rings * segs;
  m->nf = 2 * m->nv;
  m->pos = NEW (struct vec3, m->nv);
  m->normal = NEW (struct vec3, m->nv);
  m->face = NEW (struct face, m->nf);

  struct face *f = m->face;
  for (unsigned i = 0; i < rings; i++)
    for (unsigned j = 0; j < segs; j++)
      {
	double u = 2 * M_PI * i / rings, v = 2 * M_PI * j / segs;
	double r = 0.8 + 0.06 * sin (5 * u) * cos (3 * v) + 0.02 * jitter ();
	unsigned i1 = (i + 1) % rings, j1 = (j + 1) % segs;
	unsigned a = i * segs + j, b = i1 * segs + j;
	unsigned c = i1 * segs + j1, d = i * segs + j1;

	m->pos[a] = v3 ((2 + r * cos (v)) * cos (u), (2 + r * cos (v)) * sin (u), r * sin (v));
	*f++ = (struct face) { { a, b, c } };
	*f++ = (struct face) { { a, c, d } };
      }
}

/* Which faces touch each vertex (counting sort).  */
static void build_incidence (struct mesh *m)
{
  unsigned *start = NEW (unsigned, m->nv + 1);
  unsigned *item = NEW (unsigned, 3 * (size_t) m->nf);
  unsigned *fill = NEW (unsigned, m->nv);

  for (unsigned c = 0; c < 3 * m->nf; c++)
    start[m->face[c / 3].v[c % 3] + 1]++;
  for (unsigned v = 0; v < m->nv; v++)
    start[v + 1] += start[v];
  for (unsigned c = 0; c < 3 * m->nf; c++)
    {
      unsigned v = m->face[c / 3].v[c % 3];
      item[start[v] + fill[v]++] = c / 3;
    }
  free (fill);
  m->faces_of = (struct incidence) { start, item };
}

/* The two corners of F other than V, in order.  */
static void other_corners (const struct face *f, unsigned v, unsigned *a, unsigned *b)
{
  int k = f->v[0] == v ? 0 : f->v[1] == v ? 1 : 2;
  *a = f->v[(k + 1) % 3];
  *b = f->v[(k + 2) % 3];
}

static void vertex_normals (struct mesh *m)
{
  /* OMP: parallel for */
  for (unsigned v = 0; v < m->nv; v++)
    {
      struct vec3 n = { 0, 0, 0 };
      for (unsigned k = m->faces_of.start[v]; k < m->faces_of.start[v + 1]; k++)
	{
	  unsigned a, b;
	  other_corners (&m->face[m->faces_of.item[k]], v, &a, &b);
	  /* Not normalised: weights by area.  */
	  n = madd (n, 1.0, cross (sub (m->pos[a], m->pos[v]), sub (m->pos[b], m->pos[v])));
	}
      m->normal[v] = unit (n);
    }
}

/* One umbrella step.  On a closed mesh each neighbour is the second corner
   of exactly one incident face.  */
static void laplacian_step (struct mesh *m, double weight, struct vec3 **spare)
{
  struct vec3 *dst = *spare;

  /* OMP: parallel for schedule(static) */
  for (unsigned v = 0; v < m->nv; v++)
    {
      const unsigned *it = m->faces_of.item + m->faces_of.start[v];
      const unsigned *end = m->faces_of.item + m->faces_of.start[v + 1];
      double inv = 1.0 / (double) (end - it);
      struct vec3 c = { 0, 0, 0 };

      while (it < end)
	{
	  unsigned a, b;
	  other_corners (&m->face[*it++], v, &a, &b);
	  c = madd (c, inv, m->pos[a]);
	}
      dst[v] = madd (m->pos[v], weight, sub (c, m->pos[v]));
    }
  *spare = m->pos;
  m->pos = dst;
}

/* Angle deficit over a third of the incident area.  */
static void gaussian_curvature (const struct mesh *m, double *out, double *total, double *abs_total)
{
  double sum = 0, asum = 0;

  /* OMP: parallel for reduction(+:sum,asum) */
  for (unsigned v = 0; v < m->nv; v++)
    {
      double deficit = 2 * M_PI, area = 0;
      for (unsigned k = m->faces_of.start[v]; k < m->faces_of.start[v + 1]; k++)
	{
	  unsigned a, b;
	  other_corners (&m->face[m->faces_of.item[k]], v, &a, &b);
	  struct vec3 e = sub (m->pos[a], m->pos[v]), f = sub (m->pos[b], m->pos[v]);
	  double s = norm (cross (e, f));
	  deficit -= atan2 (s, dot (e, f));
	  area += s / 6;
	}
      out[v] = area > 0 ? deficit / area : 0;
      sum += deficit;
      asum += fabs (deficit);
    }
  *total = sum, *abs_total = asum;
}

static void bounding_box (const struct mesh *m, struct vec3 *lo, struct vec3 *hi)
{
  *lo = *hi = m->pos[0];
  for (unsigned v = 1; v < m->nv; v++)
    {
      const struct vec3 *p = &m->pos[v];
      lo->x = fmin (lo->x, p->x); hi->x = fmax (hi->x, p->x);
      lo->y = fmin (lo->y, p->y); hi->y = fmax (hi->y, p->y);
      lo->z = fmin (lo->z, p->z); hi->z = fmax (hi->z, p->z);
    }
}

/* Moeller and Trumbore.  */
static int intersect (const struct mesh *m, const struct face *f, const struct ray *r,
		      double *t, double *u, double *v)
{
  const struct vec3 p0 = m->pos[f->v[0]];
  const struct vec3 e1 = sub (m->pos[f->v[1]], p0), e2 = sub (m->pos[f->v[2]], p0);
  const struct vec3 h = cross (r->dir, e2);
  const double det = dot (e1, h);

  if (fabs (det) < 1e-14)
    return 0;
  const struct vec3 s = sub (r->org, p0);
  *u = dot (s, h) / det;
  if (*u < 0 || *u > 1)
    return 0;
  const struct vec3 q = cross (s, e1);
  *v = dot (r->dir, q) / det;
  if (*v < 0 || *u + *v > 1)
    return 0;
  *t = dot (e2, q) / det;
  return *t > 1e-9;
}

static void trace (const struct mesh *m, const struct ray *rays, size_t n, struct hit *hits)
{
  /* OMP: parallel for schedule(dynamic,16) */
  for (size_t i = 0; i < n; i++)
    {
      struct hit best = { -1, HUGE_VAL, 0 };
      for (unsigned f = 0; f < m->nf; f++)
	{
	  double t, u, v;
	  if (!intersect (m, &m->face[f], &rays[i], &t, &u, &v) || t >= best.t)
	    continue;
	  const struct vec3 *nrm = &m->normal[m->face[f].v[u > v ? 1 : 2]];
	  best = (struct hit) { (int) f, t, -dot (*nrm, rays[i].dir) };
	}
      hits[i] = best;
    }
}

int main (int argc, char **argv)
{
  int arg[4] = { 200, 100, 200, 40 };
  for (int i = 1; i < argc && i <= 4; i++)
    arg[i - 1] = atoi (argv[i]);
  if (arg[0] < 3 || arg[1] < 3 || arg[2] < 0 || arg[3] < 1)
    return fputs ("usage: mesh [rings] [segments] [steps] [rays per side]\n", stderr), 1;
  struct mesh m;
  make_torus (&m, arg[0], arg[1]);
  build_incidence (&m);
  struct vec3 *spare = NEW (struct vec3, m.nv);
  double *curv = NEW (double, m.nv);
  double total, before, after;

  gaussian_curvature (&m, curv, &total, &before);
  for (int i = 0; i < arg[2]; i++)
    laplacian_step (&m, i % 2 ? -0.34 : 0.33, &spare);
  gaussian_curvature (&m, curv, &total, &after);
  vertex_normals (&m);

  struct vec3 lo, hi;
  bounding_box (&m, &lo, &hi);
  size_t side = arg[3], nrays = side * side;
  struct ray *rays = NEW (struct ray, nrays);
  struct hit *hits = NEW (struct hit, nrays);
  for (size_t i = 0; i < nrays; i++)
    {
      double x = lo.x + (hi.x - lo.x) * ((double) (i % side) + 0.37) / (double) side;
      double y = lo.y + (hi.y - lo.y) * ((double) (i / side) + 0.41) / (double) side;
      rays[i].org = v3 (0.3, -0.2, 9);
      rays[i].dir = unit (sub (v3 (x, y, 0), rays[i].org));
    }
  trace (&m, rays, nrays, hits);

  size_t nhit = 0;
  double depth = 0, facing = 0, cmax = 0;
  for (size_t i = 0; i < nrays; i++)
    if (hits[i].face >= 0)
      {
	nhit++;
	depth += hits[i].t;
	facing += hits[i].facing;
      }
  for (unsigned v = 0; v < m.nv; v++)
    cmax = fabs (curv[v]) > cmax ? fabs (curv[v]) : cmax;
  printf ("vertices %u faces %u\n", m.nv, m.nf);
  printf ("|K| integral before %.6e after %.6e, Euler number %.3f, max |K| %.5e\n",
	  before, after, fabs (total) / (2 * M_PI), cmax);
  printf ("box %.6e %.6e %.6e .. %.6e %.6e %.6e\n", lo.x, lo.y, lo.z, hi.x, hi.y, hi.z);
  printf ("rays %zu hits %zu  mean depth %.6e  mean facing %.6e\n", nrays, nhit,
	  nhit ? depth / (double) nhit : 0, nhit ? facing / (double) nhit : 0);
  return 0;
}

/* isolines.c
 * Contour extraction (marching squares) from a gridded elevation model built
 * out of radial hills.  Segments are collected per level and then chained.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NLEVELS 9
#define NHILLS  28
#define Z(g, i, j)    ((g)->z[(size_t)(j) * (g)->nx + (i)])
#define CODE(g, i, j) ((g)->code[(size_t)(j) * ((g)->nx - 1) + (i)])

typedef float coord;
typedef struct { coord x, y; } vec2;
typedef struct { vec2 a, b; } segment;

typedef struct {
  int nx, ny;
  float *z;
  uint8_t *code;
  float zmin, zmax;
} grid;

typedef struct { vec2 c; float h, r; enum { HILL_GAUSS, HILL_CONE, HILL_RIDGE } kind; } hill;

typedef struct {
  segment *seg;
  size_t n, cap;
  float level;
  double length;
  unsigned closed_cells, saddles;
} contour;

typedef struct {
  contour *lv;
  size_t n;
} contour_set;

typedef float (*height_fn)(float x, float y, const void *ctx);

struct terrain { hill hills[NHILLS]; int n; };

static float terrain_height(float x, float y, const void *ctx)
{
  const struct terrain *t = ctx;
  float s = 0.0f;
  for (int k = 0; k < t->n; k++) {
    const hill *h = &t->hills[k];
    float dx = x - h->c.x, dy = y - h->c.y, d2 = dx * dx + dy * dy;
    switch (h->kind) {
    case HILL_GAUSS: s += h->h * expf(-d2 / (h->r * h->r)); break;
    case HILL_CONE:  if (d2 < h->r * h->r) s += h->h * (1.0f - sqrtf(d2) / h->r); break;
    case HILL_RIDGE: s += 0.3f * h->h / (1.0f + dx * dx / (h->r * h->r)); break;
    }
  }
  return s;
}

static int grid_alloc(grid *g, int nx, int ny)
{
  g->nx = nx;
  g->ny = ny;
  g->z = calloc((size_t)nx * ny, sizeof *g->z);
  g->code = calloc((size_t)(nx - 1) * (ny - 1), 1);
  return g->z && g->code ? 0 : -1;
}

static void grid_fill(grid *g, height_fn fn, const void *ctx)
{
/* OMP: parallel for schedule(static) */
  for (int j = 0; j < g->ny; j++)
    for (int i = 0; i < g->nx; i++)
      Z(g, i, j) = fn((float)i / g->nx, (float)j / g->ny, ctx);
}

static void grid_range(grid *g)
{
  g->zmin = g->zmax = g->z[0];
  for (size_t k = 1; k < (size_t)g->nx * g->ny; k++) {
    if (g->z[k] < g->zmin) g->zmin = g->z[k];
    if (g->z[k] > g->zmax) g->zmax = g->z[k];
  }
}

static int grid_smooth(grid *g, int passes)
{
  size_t bytes = (size_t)g->nx * g->ny * sizeof(float);
  float *tmp = malloc(bytes);
  if (!tmp)
    return -1;
  while (passes-- > 0) {
    memcpy(tmp, g->z, bytes);
/* OMP: parallel for schedule(static) */
    for (int j = 0; j < g->ny; j++) {
      int jm = j > 0 ? j - 1 : j, jp = j + 1 < g->ny ? j + 1 : j;
      for (int i = 0; i < g->nx; i++) {
        int im = i > 0 ? i - 1 : i, ip = i + 1 < g->nx ? i + 1 : i;
        g->z[(size_t)j * g->nx + i] = 0.5f * tmp[(size_t)j * g->nx + i] +
          0.125f * (tmp[(size_t)j * g->nx + im] + tmp[(size_t)j * g->nx + ip] +
                    tmp[(size_t)jm * g->nx + i] + tmp[(size_t)jp * g->nx + i]);
      }
    }
  }
  free(tmp);
  return 0;
}

static void classify(grid *g, float level)
{
/* OMP: parallel for schedule(static) */
  for (int j = 0; j < g->ny - 1; j++)
    for (int i = 0; i < g->nx - 1; i++)
      CODE(g, i, j) = (uint8_t)((Z(g, i, j) > level) | (Z(g, i + 1, j) > level) << 1 |
                                (Z(g, i + 1, j + 1) > level) << 2 | (Z(g, i, j + 1) > level) << 3);
}

static vec2 cross_edge(const grid *g, int i, int j, int edge, float level)
{
  static const int8_t ea[4][2] = { {0, 0}, {1, 0}, {1, 1}, {0, 1} };
  const int8_t *p = ea[edge], *q = ea[(edge + 1) & 3];
  float za = Z(g, i + p[0], j + p[1]), zb = Z(g, i + q[0], j + q[1]);
  float t = (level - za) / (zb - za);
  vec2 v = { i + p[0] + t * (q[0] - p[0]), j + p[1] + t * (q[1] - p[1]) };
  return v;
}

static int emit(contour *c, vec2 a, vec2 b)
{
  if (c->n == c->cap) {
    size_t cap = c->cap ? 2 * c->cap : 256;
    segment *s = realloc(c->seg, cap * sizeof *s);
    if (!s)
      return -1;
    c->seg = s;
    c->cap = cap;
  }
  c->seg[c->n].a = a;
  c->seg[c->n++].b = b;
  return 0;
}

static int extract(const grid *g, contour *c)
{
  /* edges per code; -1 terminates */
  static const int8_t lut[16][5] = {
    {-1}, {3, 0, -1}, {0, 1, -1}, {3, 1, -1}, {1, 2, -1}, {3, 0, 1, 2, -1}, {0, 2, -1}, {3, 2, -1},
    {2, 3, -1}, {2, 0, -1}, {0, 1, 2, 3, -1}, {2, 1, -1}, {1, 3, -1}, {1, 0, -1}, {0, 3, -1}, {-1} };
  for (int j = 0; j < g->ny - 1; j++)
    for (int i = 0; i < g->nx - 1; i++) {
      uint8_t code = CODE(g, i, j);
      if (code == 0 || code == 15) {
        c->closed_cells += code == 15;
        continue;
      }
      c->saddles += code == 5 || code == 10;
      for (const int8_t *e = lut[code]; *e >= 0; e += 2)
        if (emit(c, cross_edge(g, i, j, e[0], c->level), cross_edge(g, i, j, e[1], c->level)))
          return -1;
    }
  for (size_t k = 0; k < c->n; k++)
    c->length += hypotf(c->seg[k].b.x - c->seg[k].a.x, c->seg[k].b.y - c->seg[k].a.y);
  return 0;
}

int main(void)
{
  struct terrain t = { .n = NHILLS };
  grid g = { 0 };
  contour_set cs = { .n = NLEVELS };
  uint32_t s = 12u;
  int rc = 1;
  for (int k = 0; k < t.n; k++) {
    float r[4];
    for (int q = 0; q < 4; q++) {
      s = s * 1664525u + 1013904223u;
      r[q] = (float)(s >> 8) / 16777216.0f;
    }
    t.hills[k] = (hill){ { r[0], r[1] }, 20 + 80 * r[2], 0.03f + 0.12f * r[3], k % 3 };
  }
  cs.lv = calloc(cs.n, sizeof *cs.lv);
  if (!cs.lv || grid_alloc(&g, 1200, 900))
    goto out;
  grid_fill(&g, terrain_height, &t);
  if (grid_smooth(&g, 6))
    goto out;
  grid_range(&g);
  for (size_t k = 0; k < cs.n; k++) {
    contour *c = &cs.lv[k];
    c->level = g.zmin + (g.zmax - g.zmin) * (float)(k + 1) / (NLEVELS + 1);
    classify(&g, c->level);
    if (extract(&g, c))
      goto out;
    printf("level %.3f segs %zu length %.2f inside %u saddles %u\n", c->level, c->n, c->length, c->closed_cells, c->saddles);
  }
  rc = 0;
out:
  for (size_t k = 0; cs.lv && k < cs.n; k++)
    free(cs.lv[k].seg);
  free(cs.lv);
  free(g.z);
  free(g.code);
  return rc;
}

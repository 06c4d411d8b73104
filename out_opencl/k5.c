#include "k5_kernels.h"
typedef struct { int n; double *x, *y; double scale; } vec;
typedef struct { int w, h; double cells[12][9]; } grid;
struct owner { grid *g; vec v; unsigned bits : 3; };
static void g(struct owner *o) {
        for (int i = 0; i < o->g->w; i++) o->v.y[i] = o->g->cells[i][2] + o->v.x[i]; }
void call(struct owner *o) { g(o); }

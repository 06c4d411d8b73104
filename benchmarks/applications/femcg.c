/* femcg.c
 *
 * Linear finite elements for  -div(kappa grad u) = f  on a distorted unit square,
 * u = 0 on the boundary.  The matrix is assembled element by element into CSR,
 * then solved with conjugate gradients, preconditioned by a few damped Jacobi
 * sweeps.  Exact solution known, so that the error can be checked.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <string.h>
#include <math.h>

#define PI 3.14159265358979323846

typedef uint32_t index_t;
typedef double   real;

typedef struct { real x, y; } Point;
typedef struct { index_t v[3]; int material; } Triangle;

typedef struct {
    index_t   n_nodes, n_tri;
    Point    *node;
    Triangle *tri;
    uint8_t  *on_boundary;
} Mesh;

/* While the sparsity pattern is unknown the rows are sorted linked lists. */
typedef struct Link { index_t col; struct Link *next; } Link;

typedef struct {
    index_t  n;
    size_t   nnz;
    size_t  *row_ptr;
    index_t *col;
    real    *val;
    real    *inv_diag;
} Csr;

typedef struct {
    Csr   A;
    real *rhs, *u;
    struct { real *r, *z, *p, *Ap, *t; } w;      /* work vectors of the solver */
} System;

typedef struct { int sweeps; real omega, tol; int max_it; } SolverOptions;
typedef enum { SOLVE_OK, SOLVE_BREAKDOWN, SOLVE_NOT_CONVERGED } SolveResult;

static void *xmalloc(size_t n)
{
    void *p = calloc(n ? n : 1, 1);
    if (!p) { fputs("femcg: out of memory\n", stderr); exit(EXIT_FAILURE); }
    return p;
}

/* equal in both materials for the convergence test with the known solution */
static const real kappa[2] = { 1.0, 1.0 };
static real exact(Point p)  { return sin(PI * p.x) * sin(PI * p.y); }
static real source(Point p) { return 2.0 * PI * PI * exact(p); }

static void mesh_square(Mesh *m, index_t k)
{
    const index_t line = k + 1;
    index_t i, j, t = 0;
    m->n_nodes = line * line;
    m->n_tri = 2 * k * k;
    m->node = xmalloc(m->n_nodes * sizeof *m->node);
    m->tri = xmalloc(m->n_tri * sizeof *m->tri);
    m->on_boundary = xmalloc(m->n_nodes);
    for (j = 0; j <= k; j++)
        for (i = 0; i <= k; i++) {
            const real x = (real)i / k, y = (real)j / k;
            const real bump = 0.06 * sin(2 * PI * x) * sin(2 * PI * y);
            m->node[j * line + i] = (Point){ x + bump, y - bump };
            m->on_boundary[j * line + i] = i == 0 || j == 0 || i == k || j == k;
        }
    for (j = 0; j < k; j++)
        for (i = 0; i < k; i++) {
            const index_t a = j * line + i, b = a + 1, c = a + line, d = c + 1;
            const int mat = (int)((i / 8 + j / 8) & 1u);
            if ((i + j) & 1u) {
                m->tri[t++] = (Triangle){ { a, b, d }, mat };
                m->tri[t++] = (Triangle){ { a, d, c }, mat };
            } else {
                m->tri[t++] = (Triangle){ { a, b, c }, mat };
                m->tri[t++] = (Triangle){ { b, d, c }, mat };
            }
        }
}

static void pattern_from_mesh(const Mesh *m, Csr *A)
{
    Link **head = xmalloc(m->n_nodes * sizeof *head);
    Link *pool = xmalloc((size_t)m->n_tri * 9 * sizeof *pool), *fresh = pool;
    for (index_t t = 0; t < m->n_tri; t++)
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++) {
                const index_t c = m->tri[t].v[b];
                Link **at = &head[m->tri[t].v[a]];
                while (*at && (*at)->col < c) at = &(*at)->next;
                if (*at && (*at)->col == c) continue;
                *fresh = (Link){ c, *at };
                *at = fresh++;
            }
    A->n = m->n_nodes;
    A->nnz = (size_t)(fresh - pool);
    A->row_ptr = xmalloc((A->n + 1) * sizeof *A->row_ptr);
    A->col = xmalloc(A->nnz * sizeof *A->col);
    A->val = xmalloc(A->nnz * sizeof *A->val);
    A->inv_diag = xmalloc(A->n * sizeof *A->inv_diag);
    size_t k = 0;
    for (index_t i = 0; i < A->n; i++) {
        for (const Link *l = head[i]; l; l = l->next) A->col[k++] = l->col;
        A->row_ptr[i + 1] = k;
    }
    free(pool);
    free(head);
}

static inline real *entry(Csr *A, index_t i, index_t j)
{
    size_t k = A->row_ptr[i];
    while (A->col[k] != j) k++;
    return &A->val[k];
}

static void assemble(const Mesh *m, System *s)
{
    Csr *A = &s->A;
    for (index_t t = 0; t < m->n_tri; t++) {
        const Triangle *T = &m->tri[t];
        const Point p[3] = { m->node[T->v[0]], m->node[T->v[1]], m->node[T->v[2]] };
        const Point mid = { (p[0].x + p[1].x + p[2].x) / 3, (p[0].y + p[1].y + p[2].y) / 3 };
        real gx[3], gy[3];
        const real det = (p[1].x - p[0].x) * (p[2].y - p[0].y) - (p[2].x - p[0].x) * (p[1].y - p[0].y);
        for (int a = 0; a < 3; a++) {
            gx[a] = (p[(a + 1) % 3].y - p[(a + 2) % 3].y) / det;
            gy[a] = (p[(a + 2) % 3].x - p[(a + 1) % 3].x) / det;
        }
        for (int a = 0; a < 3; a++) {
            const index_t i = T->v[a];
            if (m->on_boundary[i]) continue;
            s->rhs[i] += source(mid) * det / 6.0;
            for (int b = 0; b < 3; b++)
                if (!m->on_boundary[T->v[b]])
                    *entry(A, i, T->v[b]) += 0.5 * det * kappa[T->material] * (gx[a] * gx[b] + gy[a] * gy[b]);
        }
    }
    for (index_t i = 0; i < A->n; i++) {
        if (m->on_boundary[i]) *entry(A, i, i) = 1.0;
        A->inv_diag[i] = 1.0 / *entry(A, i, i);
    }
}

/* y = A x */
static void spmv(const Csr *A, const real *x, real *y)
{
    const ptrdiff_t n = A->n;
/* OMP: parallel for schedule(static) */
    for (ptrdiff_t i = 0; i < n; i++) {
        real sum = 0.0;
        for (size_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            sum += A->val[k] * x[A->col[k]];
        y[i] = sum;
    }
}

static real dot(index_t n, const real *x, const real *y)
{
    real sum = 0.0;
/* OMP: parallel for reduction(+:sum) schedule(static) */
    for (index_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* z ~ A^-1 r by damped Jacobi, starting from zero */
static void precondition(System *s, const SolverOptions *o)
{
    const index_t n = s->A.n;
    real *z = s->w.z, *r = s->w.r, *t = s->w.t;
/* OMP: parallel for schedule(static) */
    for (index_t i = 0; i < n; i++) z[i] = o->omega * s->A.inv_diag[i] * r[i];
    for (int k = 1; k < o->sweeps; k++) {
        spmv(&s->A, z, t);
/* OMP: parallel for schedule(static) */
        for (index_t i = 0; i < n; i++)
            z[i] += o->omega * s->A.inv_diag[i] * (r[i] - t[i]);
    }
}

static SolveResult pcg(System *s, const SolverOptions *o, int *iterations, real *energy)
{
    const index_t n = s->A.n;
    real *r = s->w.r, *z = s->w.z, *p = s->w.p, *Ap = s->w.Ap;
    SolveResult res = SOLVE_NOT_CONVERGED;
    const real stop = o->tol * o->tol * dot(n, s->rhs, s->rhs);
    memcpy(r, s->rhs, n * sizeof *r);
    memset(s->u, 0, n * sizeof *s->u);
    precondition(s, o);
    memcpy(p, z, n * sizeof *p);
    real rz = dot(n, r, z);
    for (*iterations = 0; *iterations < o->max_it; ++*iterations) {
        spmv(&s->A, p, Ap);
        const real pAp = dot(n, p, Ap);
        if (!(pAp > 0.0)) { res = SOLVE_BREAKDOWN; break; }
        const real alpha = rz / pAp;
        real rr = 0.0;
/* OMP: parallel for reduction(+:rr) schedule(static) */
        for (index_t i = 0; i < n; i++) {
            s->u[i] += alpha * p[i];
            r[i] -= alpha * Ap[i];
            rr += r[i] * r[i];
        }
        if (rr <= stop) { res = SOLVE_OK; break; }
        precondition(s, o);
        const real rz_new = dot(n, r, z), beta = rz_new / rz;
        rz = rz_new;
/* OMP: parallel for schedule(static) */
        for (index_t i = 0; i < n; i++) p[i] = z[i] + beta * p[i];
    }
    *energy = dot(n, s->u, s->rhs);
    return res;
}

int main(void)
{
    static const SolverOptions opts[] = {
        { .sweeps = 1, .omega = 1.0, .tol = 1e-9, .max_it = 2000 },
        { .sweeps = 3, .omega = 0.7, .tol = 1e-9, .max_it = 2000 },
    };
    Mesh mesh;
    System sys;
    int failed = 0;

    mesh_square(&mesh, 160);
    pattern_from_mesh(&mesh, &sys.A);
    real **vec[] = { &sys.rhs, &sys.u, &sys.w.r, &sys.w.z, &sys.w.p, &sys.w.Ap, &sys.w.t };
    for (size_t k = 0; k < sizeof vec / sizeof *vec; k++) *vec[k] = xmalloc(sys.A.n * sizeof(real));
    assemble(&mesh, &sys);
    printf("%u nodes, %u triangles, %zu matrix entries\n", mesh.n_nodes, mesh.n_tri, sys.A.nnz);
    for (size_t c = 0; c < sizeof opts / sizeof *opts; c++) {
        int it;
        real energy, worst = 0.0, mean = 0.0;
        const SolveResult res = pcg(&sys, &opts[c], &it, &energy);
        for (index_t i = 0; i < mesh.n_nodes; i++) {
            const real e = fabs(sys.u[i] - exact(mesh.node[i]));
            worst = e > worst ? e : worst;
            mean += sys.u[i] / mesh.n_nodes;
        }
        printf("solve %zu: status %d, within budget %s, energy %.6g, mean %.6g, max error %.4g\n",
               c, res, it < opts[c].max_it ? "yes" : "no", energy, mean, worst);
        failed |= res != SOLVE_OK;
    }
    for (size_t k = 0; k < sizeof vec / sizeof *vec; k++) free(*vec[k]);
    free(sys.A.row_ptr); free(sys.A.col); free(sys.A.val); free(sys.A.inv_diag);
    free(mesh.node); free(mesh.tri); free(mesh.on_boundary);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

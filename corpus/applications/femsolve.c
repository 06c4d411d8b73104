/*
 * femsolve - linear triangles, -div(k grad u) + c u = f on the unit square
 *
 * The mesh is a jittered triangulation of a (n+1) x (n+1) point lattice.
 * Assembly goes to CSR, the system is solved by conjugate gradients with the
 * diagonal as preconditioner.  The exact solution is known, so the L2 and max
 * errors are printed as a check.
 *
 * usage: femsolve [n [maxiter]]
 */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef double (*coeff_fn)(double x, double y);

struct mesh {
    int      nnode, nelem;
    double  *x, *y;             /* node coordinates */
    int    (*tri)[3];           /* corner nodes, counter-clockwise */
    char    *fixed;             /* Dirichlet nodes */
};

struct csr {
    int      n;
    int     *start;             /* n + 1 */
    int     *col;
    double  *val;
};

static void *xmalloc(size_t n)
{
    void *p = malloc(n ? n : 1);
    if (!p) {
        fprintf(stderr, "femsolve: cannot get %lu bytes\n", (unsigned long)n);
        exit(1);
    }
    return p;
}

static double *vector_new(int n)
{
    double *v = xmalloc((size_t)n * sizeof *v);
    memset(v, 0, (size_t)n * sizeof *v);
    return v;
}

static double conductivity(double x, double y) { return 1.0 + 0.5 * x * y; }
static double exact(double x, double y) { return sin(M_PI * x) * sin(M_PI * y); }

static double source(double x, double y)
{
    double k = conductivity(x, y), u = exact(x, y);
    double ux = M_PI * cos(M_PI * x) * sin(M_PI * y);
    double uy = M_PI * sin(M_PI * x) * cos(M_PI * y);

    return 2.0 * M_PI * M_PI * k * u - 0.5 * y * ux - 0.5 * x * uy + 3.0 * u;
}

static struct mesh *mesh_new(int n)
{
    struct mesh *m = xmalloc(sizeof *m);
    unsigned r = 1u;
    int e = 0;

    m->nnode = (n + 1) * (n + 1);
    m->nelem = 2 * n * n;
    m->x = vector_new(m->nnode);
    m->y = vector_new(m->nnode);
    m->tri = xmalloc((size_t)m->nelem * sizeof *m->tri);
    m->fixed = xmalloc((size_t)m->nnode);
    for (int j = 0, p = 0; j <= n; j++)
        for (int i = 0; i <= n; i++, p++) {
            m->x[p] = (double)i / n;
            m->y[p] = (double)j / n;
            m->fixed[p] = i == 0 || j == 0 || i == n || j == n;
            if (m->fixed[p])
                continue;
            r = r * 1103515245u + 12345u;
            m->x[p] += 0.25 / n * ((r >> 16 & 255) / 255.0 - 0.5);
            r = r * 1103515245u + 12345u;
            m->y[p] += 0.25 / n * ((r >> 16 & 255) / 255.0 - 0.5);
        }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            int sw = j * (n + 1) + i, se = sw + 1;
            int nw = sw + n + 1, ne = nw + 1;
            int flip = (i + j) & 1;
            int a[3] = { sw, se, flip ? nw : ne };
            int b[3] = { flip ? se : sw, ne, nw };
            memcpy(m->tri[e++], a, sizeof a);
            memcpy(m->tri[e++], b, sizeof b);
        }
    return m;
}

/* sorted insertion into a short row; returns the new length */
static int row_insert(int *row, int len, int col)
{
    int k = len;

    for (int i = 0; i < len; i++)
        if (row[i] == col)
            return len;
    while (k > 0 && row[k - 1] > col) {
        row[k] = row[k - 1];
        k--;
    }
    row[k] = col;
    return len + 1;
}

#define MAXROW 16

static struct csr *csr_pattern(const struct mesh *m)
{
    struct csr *a = xmalloc(sizeof *a);
    int *rows = xmalloc((size_t)m->nnode * MAXROW * sizeof *rows);
    int *len = xmalloc((size_t)m->nnode * sizeof *len);

    memset(len, 0, (size_t)m->nnode * sizeof *len);
    for (int e = 0; e < m->nelem; e++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                int p = m->tri[e][i];
                assert(len[p] < MAXROW);
                len[p] = row_insert(rows + (size_t)p * MAXROW, len[p], m->tri[e][j]);
            }
    a->n = m->nnode;
    a->start = xmalloc(((size_t)a->n + 1) * sizeof *a->start);
    a->start[0] = 0;
    for (int p = 0; p < a->n; p++)
        a->start[p + 1] = a->start[p] + len[p];
    a->col = xmalloc((size_t)a->start[a->n] * sizeof *a->col);
    a->val = vector_new(a->start[a->n]);
    for (int p = 0; p < a->n; p++)
        memcpy(a->col + a->start[p], rows + (size_t)p * MAXROW, (size_t)len[p] * sizeof *rows);
    free(rows);
    free(len);
    return a;
}

static double *csr_entry(const struct csr *a, int row, int col)
{
    int lo = a->start[row], hi = a->start[row + 1] - 1;

    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (a->col[mid] < col)
            lo = mid + 1;
        else
            hi = mid;
    }
    assert(a->col[lo] == col);
    return &a->val[lo];
}

static void element_matrix(const struct mesh *m, int e, coeff_fn k, coeff_fn f, double ke[3][3], double fe[3])
{
    const int *t = m->tri[e];
    double bx[3], by[3], area, kavg = 0.0;

    for (int i = 0; i < 3; i++) {
        int p = t[(i + 1) % 3], q = t[(i + 2) % 3];
        bx[i] = m->y[p] - m->y[q];
        by[i] = m->x[q] - m->x[p];
    }
    area = 0.5 * (bx[0] * by[1] - bx[1] * by[0]);
    assert(area > 0.0);
    fe[0] = fe[1] = fe[2] = 0.0;
    for (int i = 0; i < 3; i++) {       /* edge midpoint rule */
        int j = (i + 1) % 3;
        double xm = 0.5 * (m->x[t[i]] + m->x[t[j]]);
        double ym = 0.5 * (m->y[t[i]] + m->y[t[j]]);
        double s = f(xm, ym) * area / 6.0;
        fe[i] += s;
        fe[j] += s;
        kavg += k(xm, ym) / 3.0;
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            ke[i][j] = kavg * (bx[i] * bx[j] + by[i] * by[j]) / (4.0 * area)
                     + 3.0 * area * (i == j ? 2.0 : 1.0) / 12.0;
}

static void assemble(const struct mesh *m, struct csr *a, double *b, coeff_fn k, coeff_fn f)
{
    /* OMP: parallel for schedule(static) */
    for (int e = 0; e < m->nelem; e++) {
        double ke[3][3], fe[3];

        element_matrix(m, e, k, f, ke, fe);
        for (int i = 0; i < 3; i++) {
            int p = m->tri[e][i];
            if (m->fixed[p])
                continue;
            /* OMP: atomic */
            b[p] += fe[i];
            for (int j = 0; j < 3; j++) {
                if (m->fixed[m->tri[e][j]])
                    continue;           /* boundary value is zero */
                double *entry = csr_entry(a, p, m->tri[e][j]);
                /* OMP: atomic */
                *entry += ke[i][j];
            }
        }
    }
    for (int p = 0; p < a->n; p++)
        if (m->fixed[p])
            *csr_entry(a, p, p) = 1.0;
}

static void csr_mul(const struct csr *a, const double *restrict x, double *restrict y)
{
    /* OMP: parallel for schedule(static) */
    for (int i = 0; i < a->n; i++) {
        double s = 0.0;
        for (int k = a->start[i]; k < a->start[i + 1]; k++)
            s += a->val[k] * x[a->col[k]];
        y[i] = s;
    }
}

static double dot(int n, const double *x, const double *y)
{
    double s = 0.0;
    /* OMP: parallel for reduction(+:s) */
    for (int i = 0; i < n; i++)
        s += x[i] * y[i];
    return s;
}

static int pcg(const struct csr *a, const double *b, double *x, int maxiter, double tol)
{
    int n = a->n, it;
    double *r = vector_new(n), *z = vector_new(n), *p = vector_new(n);
    double *q = vector_new(n), *dinv = vector_new(n);
    double rz, bnorm = sqrt(dot(n, b, b));

    for (int i = 0; i < n; i++) {
        dinv[i] = 1.0 / *csr_entry(a, i, i);
        r[i] = b[i];
        p[i] = z[i] = dinv[i] * r[i];
    }
    rz = dot(n, r, z);
    for (it = 1; it <= maxiter; it++) {
        csr_mul(a, p, q);
        double alpha = rz / dot(n, p, q);
        /* OMP: parallel for */
        for (int i = 0; i < n; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
            z[i] = dinv[i] * r[i];
        }
        double rz_new = dot(n, r, z);
        double beta = rz_new / rz;
        /* OMP: parallel for */
        for (int i = 0; i < n; i++)
            p[i] = z[i] + beta * p[i];
        rz = rz_new;
        if (it % 20 == 0 && sqrt(dot(n, r, r)) <= tol * bnorm)
            break;
    }
    free(r); free(z); free(p); free(q); free(dinv);
    return it;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 240;
    int maxiter = argc > 2 ? atoi(argv[2]) : 2000;

    if (n < 2 || n > 4000 || maxiter < 1) {
        fprintf(stderr, "usage: %s [n [maxiter]]\n", argv[0]);
        return 1;
    }
    struct mesh *m = mesh_new(n);
    struct csr *a = csr_pattern(m);
    double *b = vector_new(a->n), *u = vector_new(a->n);
    double emax = 0.0, esum = 0.0;

    assemble(m, a, b, conductivity, source);
    int it = pcg(a, b, u, maxiter, 1e-12);
    /* OMP: parallel for reduction(max:emax) reduction(+:esum) */
    for (int p = 0; p < m->nnode; p++) {
        double d = fabs(u[p] - exact(m->x[p], m->y[p]));
        emax = d > emax ? d : emax;
        esum += d * d;
    }
    printf("nodes %d elements %d nonzeros %d\n", m->nnode, m->nelem, a->start[a->n]);
    printf("iterations %d\n", it);
    printf("max error %.4e  rms error %.4e  energy %.6e\n", emax, sqrt(esum / m->nnode),
           dot(a->n, b, u));
    free(m->x); free(m->y); free(m->tri); free(m->fixed); free(m);
    free(a->start); free(a->col); free(a->val); free(a);
    free(b); free(u);
    return 0;
}

/* b3_powergrid.c - transient of an on-chip power distribution mesh: SPICE-like
 * companion models, CSR nodal matrix with stamp slots, coloured Gauss-Seidel
 * for the DC guess, CG inside Newton.  usage: b3_powergrid [mesh-side [steps]] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>

#define GND  (-1)
#define VT   0.02585
#define GMIN 1e-9
enum { NCOLMAX = 16 };

enum dev_kind { DEV_R, DEV_C, DEV_D, DEV_LOAD, N_KINDS };

typedef struct device {
    enum dev_kind kind;
    int a, b;                   /* terminals, b may be GND */
    double p[3];                /* parameters by kind */
    double vprev;               /* branch voltage at the last accepted step */
    double g, ieq;              /* companion model, i = g*v + ieq */
    double *aa, *ab, *ba, *bb;  /* where it stamps */
} device_t;

typedef void (*model_fn)(const device_t *, double v, double h, double *g, double *ieq);
typedef struct { int n, *ptr, *col; double *val, **diag; } csr_t;
typedef struct { double *v, *rhs, *r, *z, *p, *q; } vectors_t;

static struct {
    device_t *dev;
    int ndev, cap;
    csr_t A;
    vectors_t x;
    int *order, colour_ptr[NCOLMAX + 1], ncolour;
    double time;
    long cg_total, newton_total;
} ckt;

static unsigned seed = 2024u;
static double uni(void) { seed = seed * 1103515245u + 12345u; return ((seed >> 9) & 0x3fffff) / (double)0x400000; }

static void die(const char *msg) { fprintf(stderr, "powergrid: %s\n", msg); exit(1); }

static void *get(size_t n, size_t sz)
{
    void *p = calloc(n ? n : 1, sz);
    if (!p) die("out of memory");
    return p;
}

static void model_r(const device_t *d, double v, double h, double *g, double *ieq)
{
    (void)v; (void)h;
    *g = 1.0 / d->p[0];
    *ieq = -d->p[1] / d->p[0];          /* p[1]: series EMF, for the pads */
}

static void model_c(const device_t *d, double v, double h, double *g, double *ieq)
{
    (void)v;
    *g = h > 0 ? d->p[0] / h : 0;
    *ieq = -*g * d->vprev;
}

static void model_diode(const device_t *d, double v, double h, double *g, double *ieq)
{
    (void)h;
    double vmax = VT * log(0.05 / d->p[0]), vl = v > vmax ? vmax : v;   /* limiting */
    double e = exp(vl / VT);
    *g = d->p[0] * e / VT + GMIN;
    *ieq = d->p[0] * (e - 1) - *g * vl;
}

/* switching block: soft-saturating current, clocked with its own phase */
static void model_load(const device_t *d, double v, double h, double *g, double *ieq)
{
    (void)h;
    double ph = fmod(ckt.time * 1e9 + d->p[1], 1.0);
    double act = exp(-40 * (ph - 0.3) * (ph - 0.3)) + 0.1, th = tanh(v / d->p[2]);
    *g = d->p[0] * act * (1 - th * th) / d->p[2] + GMIN;
    *ieq = d->p[0] * act * th - *g * v;
}

static const model_fn models[N_KINDS] = { model_r, model_c, model_diode, model_load };

static void add(enum dev_kind k, int a, int b, double p0, double p1, double p2)
{
    if (ckt.ndev == ckt.cap) {
        ckt.cap = ckt.cap ? 2 * ckt.cap : 1024;
        if (!(ckt.dev = realloc(ckt.dev, (size_t)ckt.cap * sizeof(device_t)))) die("out of memory");
    }
    ckt.dev[ckt.ndev++] = (device_t){ .kind = k, .a = a, .b = b, .p = { p0, p1, p2 } };
}

static void build_netlist(int m)
{
    for (int r = 0; r < m; r++)
        for (int c = 0; c < m; c++) {
            int id = r * m + c;
            if (c + 1 < m) add(DEV_R, id, id + 1, 0.4 + 0.3 * uni(), 0, 0);
            if (r + 1 < m) add(DEV_R, id, id + m, 0.4 + 0.3 * uni(), 0, 0);
            if (r % 8 == 3 && c % 8 == 5) add(DEV_R, id, GND, 0.05, 1.0, 0);    /* pad, 1 V */
            add(DEV_C, id, GND, (1 + 4 * uni()) * 1e-13, 0, 0);
            if (uni() < 0.6) add(DEV_LOAD, id, GND, 4e-3 * uni(), uni(), 0.3);
            if (uni() < 0.1) add(DEV_D, id, GND, 1e-16, 0, 0);
        }
    for (int k = 0; k < m; k++) {               /* straps across the die */
        int a = (int)(uni() * m * m), b = (int)(uni() * m * m);
        if (a != b) add(DEV_R, a, b, 2.0, 0, 0);
    }
}

static double *slot(csr_t *A, int r, int c)
{
    for (int k = A->ptr[r]; k < A->ptr[r + 1]; k++)
        if (A->col[k] == c) return &A->val[k];
    return NULL;
}

static void build_matrix(int n)
{
    csr_t *A = &ckt.A;
    int *fill = get((size_t)n, sizeof *fill);
    A->n = n;
    A->ptr = get((size_t)n + 1, sizeof(int));
    A->diag = get((size_t)n, sizeof(double *));
    for (int i = 0; i < n; i++) A->ptr[i + 1] = 1;
    for (int i = 0; i < ckt.ndev; i++)
        if (ckt.dev[i].b != GND) { A->ptr[ckt.dev[i].a + 1]++; A->ptr[ckt.dev[i].b + 1]++; }
    for (int i = 0; i < n; i++) A->ptr[i + 1] += A->ptr[i];
    A->col = get((size_t)A->ptr[n], sizeof(int)); A->val = get((size_t)A->ptr[n], sizeof(double));
    for (int i = 0; i < n; i++) { A->col[A->ptr[i]] = i; A->diag[i] = &A->val[A->ptr[i]]; fill[i] = 1; }
    for (device_t *d = ckt.dev, *end = d + ckt.ndev; d != end; d++) {
        if (d->b == GND) continue;
        A->col[A->ptr[d->a] + fill[d->a]++] = d->b;
        A->col[A->ptr[d->b] + fill[d->b]++] = d->a;
    }
    for (device_t *d = ckt.dev, *end = d + ckt.ndev; d != end; d++) {
        d->aa = A->diag[d->a];
        if (d->b == GND) continue;
        d->bb = A->diag[d->b];
        d->ab = slot(A, d->a, d->b); d->ba = slot(A, d->b, d->a);
    }
}

/* greedy colouring, so that rows of one colour do not couple */
static void colour_rows(void)
{
    const csr_t *A = &ckt.A;
    signed char *colour = get((size_t)A->n, 1);
    memset(colour, -1, (size_t)A->n);
    for (int i = 0; i < A->n; i++) {
        unsigned used = 0;
        for (int k = A->ptr[i]; k < A->ptr[i + 1]; k++)
            if (colour[A->col[k]] >= 0) used |= 1u << colour[A->col[k]];
        int c = 0;
        while (used >> c & 1) c++;
        if (c >= NCOLMAX) die("too many colours");
        colour[i] = (signed char)c;
        if (c + 1 > ckt.ncolour) ckt.ncolour = c + 1;
    }
    ckt.order = get((size_t)A->n, sizeof(int));
    for (int c = 0, k = 0; c < ckt.ncolour; c++) {
        for (int i = 0; i < A->n; i++) if (colour[i] == c) ckt.order[k++] = i;
        ckt.colour_ptr[c + 1] = k;
    }
}

static void load_circuit(double h)
{
    const double *v = ckt.x.v;
    double *rhs = ckt.x.rhs;
    /* OMP: parallel for schedule(static) */
    for (int i = 0; i < ckt.ndev; i++) {
        device_t *d = &ckt.dev[i];
        double vb = d->b == GND ? 0.0 : v[d->b];
        models[d->kind](d, v[d->a] - vb, h, &d->g, &d->ieq);
    }
    memset(ckt.A.val, 0, (size_t)ckt.A.ptr[ckt.A.n] * sizeof(double));
    memset(rhs, 0, (size_t)ckt.A.n * sizeof(double));
    for (device_t *d = ckt.dev; d < ckt.dev + ckt.ndev; d++) {      /* stamps collide */
        *d->aa += d->g;
        rhs[d->a] -= d->ieq;
        if (d->b == GND) continue;
        *d->bb += d->g; *d->ab -= d->g; *d->ba -= d->g;
        rhs[d->b] += d->ieq;
    }
}

static double gs_sweep(void)
{
    const csr_t *A = &ckt.A;
    double *v = ckt.x.v, dmax = 0;
    for (int c = 0; c < ckt.ncolour; c++) {
        /* OMP: parallel for schedule(static) reduction(max:dmax) if(ckt.colour_ptr[c+1]-ckt.colour_ptr[c] > 4000) */
        for (int k = ckt.colour_ptr[c]; k < ckt.colour_ptr[c + 1]; k++) {
            int i = ckt.order[k];
            double s = ckt.x.rhs[i];
            for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++)
                if (A->col[e] != i) s -= A->val[e] * v[A->col[e]];
            s /= *A->diag[i];
            if (fabs(s - v[i]) > dmax) dmax = fabs(s - v[i]);
            v[i] = s;
        }
    }
    return dmax;
}

static double spmv_dot(const csr_t *A, const double *x, double *y)
{
    double dot = 0;
    /* OMP: parallel for schedule(static) reduction(+:dot) */
    for (int i = 0; i < A->n; i++) {
        double s = 0;
        for (int k = A->ptr[i]; k < A->ptr[i + 1]; k++) s += A->val[k] * x[A->col[k]];
        y[i] = s;
        dot += s * x[i];
    }
    return dot;
}

static int cg(double tol)
{
    const csr_t *A = &ckt.A;
    const int n = A->n;
    double *x = ckt.x.v, *r = ckt.x.r, *z = ckt.x.z, *p = ckt.x.p, *q = ckt.x.q;
    double rz = 0, rz0;
    int it = 0;
    spmv_dot(A, x, q);
    for (int i = n; i-- > 0; ) {
        r[i] = ckt.x.rhs[i] - q[i];
        p[i] = z[i] = r[i] / *A->diag[i];
        rz += r[i] * z[i];
    }
    for (rz0 = rz; rz > tol * tol * rz0 && rz > 1e-26 && it < 400; it++) {
        double alpha = rz / spmv_dot(A, p, q), rz_new = 0;
        /* OMP: parallel for schedule(static) reduction(+:rz_new) */
        for (int i = 0; i < n; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
            z[i] = r[i] / *A->diag[i];
            rz_new += r[i] * z[i];
        }
        double beta = rz_new / rz;
        /* OMP: parallel for simd schedule(static) */
        for (int i = 0; i < n; i++) p[i] = z[i] + beta * p[i];
        rz = rz_new;
    }
    return it;
}

int main(int argc, char **argv)
{
    int m = argc > 1 ? atoi(argv[1]) : 256, steps = argc > 2 ? atoi(argv[2]) : 8, worst = 0;
    if (m < 8 || m > 4000 || steps < 1) die("usage: b3_powergrid [mesh-side 8..4000 [steps]]");
    size_t n = (size_t)m * (size_t)m;
    double **vec[] = { &ckt.x.v, &ckt.x.rhs, &ckt.x.r, &ckt.x.z, &ckt.x.p, &ckt.x.q }, h = 5e-11, drop = 0, sum = 0;
    for (size_t k = 0; k < sizeof vec / sizeof *vec; k++) *vec[k] = get(n, sizeof(double));
    build_netlist(m);
    build_matrix((int)n);
    colour_rows();
    for (size_t i = 0; i < n; i++) ckt.x.v[i] = 0.9;
    load_circuit(0);
    for (int s = 0; s < 60 && gs_sweep() > 1e-7; s++) ;
    for (int s = 0; s < steps; s++) {
        for (device_t *d = ckt.dev; d < ckt.dev + ckt.ndev; d++)
            d->vprev = ckt.x.v[d->a] - (d->b == GND ? 0 : ckt.x.v[d->b]);
        ckt.time += h;
        for (int nw = 0; nw < 3; nw++, ckt.newton_total++) {
            load_circuit(h);
            ckt.cg_total += cg(1e-9);
        }
        for (size_t i = 0; i < n; i++)
            if (1.0 - ckt.x.v[i] > drop) { drop = 1.0 - ckt.x.v[i]; worst = (int)i; }
    }
    for (size_t i = 0; i < n; i++) sum += ckt.x.v[i];
    fprintf(stderr, "newton %ld, cg %ld, colours %d\n", ckt.newton_total, ckt.cg_total, ckt.ncolour);
    printf("nodes %zu devices %d\nsum v %.6e\nworst drop %.6e at (%d,%d)\n", n, ckt.ndev, sum, drop, worst / m, worst % m);
    return 0;
}

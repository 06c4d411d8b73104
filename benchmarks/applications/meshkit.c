/* meshkit.c - indexed triangle mesh tools: bumpy sphere, normals, Laplacian
 * smoothing, AABB tree, ambient occlusion by ray casting, quantised export. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif

typedef struct { double x, y, z; } V;
typedef struct { V lo, hi; } box;

typedef struct {
    V        *pos, *nrm;
    uint32_t *idx;            /* 3 per face */
    V        *fnrm;
    int       nv, nf;
} mesh;

typedef struct { int *off, *nbr; } adj;

typedef struct { box b; int left, first, count; } bvh_node;   /* right child = left + 1 */
typedef struct { bvh_node *n; int used; int *face; V *cent; const mesh *m; } bvh;

static inline V sub(V a, V b) { return (V){ a.x - b.x, a.y - b.y, a.z - b.z }; }
static inline V mad(V a, V b, double s) { return (V){ a.x + b.x * s, a.y + b.y * s, a.z + b.z * s }; }
static inline double dot(V a, V b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline V cross(V a, V b)
{
    return (V){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}
static inline V unit(V a) { double l = sqrt(dot(a, a)) + 1e-30; return (V){ a.x / l, a.y / l, a.z / l }; }
#define AXIS(v, k) ((k) == 0 ? (v).x : (k) == 1 ? (v).y : (v).z)

static void make_sphere(mesh *m, int nu, int nv)
{
    uint32_t *t;
    m->nv = nu * (nv + 1);
    m->nf = 2 * nu * nv;
    m->pos = malloc(m->nv * sizeof(V)); m->nrm = malloc(m->nv * sizeof(V));
    m->fnrm = malloc(m->nf * sizeof(V));
    m->idx = t = malloc(3 * m->nf * sizeof *t);
    for (int j = 0; j <= nv; j++)
        for (int i = 0; i < nu; i++) {
            double th = M_PI * (j + 0.25) / (nv + 0.5), ph = 2 * M_PI * i / nu;
            double r = 1 + 0.12 * sin(9 * ph) * sin(7 * th) + 0.01 * ((i * 7 + j * 13) % 5);
            m->pos[j * nu + i] = (V){ r * sin(th) * cos(ph), r * sin(th) * sin(ph), r * cos(th) };
        }
    for (int j = 0; j < nv; j++)
        for (int i = 0; i < nu; i++) {
            uint32_t a = j * nu + i, b = j * nu + (i + 1) % nu;
            *t++ = a; *t++ = a + nu; *t++ = b;
            *t++ = b; *t++ = a + nu; *t++ = b + nu;
        }
}

static void normals(mesh *m)
{
    /* OMP: parallel for schedule(static) */
    for (int f = 0; f < m->nf; f++) {
        const uint32_t *t = m->idx + 3 * f;
        m->fnrm[f] = cross(sub(m->pos[t[1]], m->pos[t[0]]), sub(m->pos[t[2]], m->pos[t[0]]));
    }
    memset(m->nrm, 0, m->nv * sizeof(V));
    for (int f = 0; f < m->nf; f++)
        for (int k = 0; k < 3; k++) {
            V *n = &m->nrm[m->idx[3 * f + k]];
            *n = mad(*n, m->fnrm[f], 1.0);
        }
    for (int i = 0; i < m->nv; i++) m->nrm[i] = unit(m->nrm[i]);
}

static adj build_adj(const mesh *m)
{
    adj a = { calloc(m->nv + 1, sizeof(int)), malloc(6 * m->nf * sizeof(int)) };
    int *fill = malloc(m->nv * sizeof(int));
    for (int i = 0; i < 3 * m->nf; i++) a.off[m->idx[i] + 1] += 2;
    for (int i = 0; i < m->nv; i++) { a.off[i + 1] += a.off[i]; fill[i] = a.off[i]; }
    for (const uint32_t *t = m->idx, *e = t + 3 * m->nf; t < e; t += 3)
        for (int k = 0; k < 3; k++) {
            a.nbr[fill[t[k]]++] = (int)t[(k + 1) % 3];
            a.nbr[fill[t[k]]++] = (int)t[(k + 2) % 3];
        }
    free(fill);
    return a;
}

static void smooth(mesh *m, const adj *a, int iters, double lam)
{
    V *tmp = malloc(m->nv * sizeof(V));
    while (iters-- > 0) {
        /* OMP: parallel for schedule(static) */
        for (int i = 0; i < m->nv; i++) {
            V s = { 0, 0, 0 };
            int n = a->off[i + 1] - a->off[i];
            for (int k = a->off[i]; k < a->off[i + 1]; k++) s = mad(s, m->pos[a->nbr[k]], 1.0);
            tmp[i] = n ? mad(m->pos[i], sub(mad((V){ 0, 0, 0 }, s, 1.0 / n), m->pos[i]), lam) : m->pos[i];
        }
        V *t = m->pos; m->pos = tmp; tmp = t;
    }
    free(tmp);
}

static void grow(box *b, V p)
{
    b->lo = (V){ fmin(b->lo.x, p.x), fmin(b->lo.y, p.y), fmin(b->lo.z, p.z) };
    b->hi = (V){ fmax(b->hi.x, p.x), fmax(b->hi.y, p.y), fmax(b->hi.z, p.z) };
}

static void split(bvh *t, int id, int first, int count)
{
    bvh_node *n = &t->n[id];
    n->b = (box){ { DBL_MAX, DBL_MAX, DBL_MAX }, { -DBL_MAX, -DBL_MAX, -DBL_MAX } };
    n->first = first; n->count = count; n->left = -1;
    for (int i = first; i < first + count; i++)
        for (int k = 0; k < 3; k++) grow(&n->b, t->m->pos[t->m->idx[3 * t->face[i] + k]]);
    if (count <= 4) return;
    V d = sub(n->b.hi, n->b.lo);
    int ax = d.x > d.y ? (d.x > d.z ? 0 : 2) : (d.y > d.z ? 1 : 2);
    int lo = first, hi = first + count - 1, mid = first + count / 2;
    while (lo < hi) {                       /* quickselect */
        double p = AXIS(t->cent[t->face[(lo + hi) / 2]], ax);
        int i = lo, j = hi;
        do {
            while (AXIS(t->cent[t->face[i]], ax) < p) i++;
            while (AXIS(t->cent[t->face[j]], ax) > p) j--;
            if (i <= j) { int s = t->face[i]; t->face[i++] = t->face[j]; t->face[j--] = s; }
        } while (i <= j);
        if (mid <= j) hi = j; else if (mid >= i) lo = i; else break;
    }
    n->left = t->used;
    t->used += 2;
    split(t, n->left, first, count / 2);
    split(t, n->left + 1, mid, count - count / 2);
}

static int hit_box(const box *b, V o, V inv)
{
    double tn = 0, tf = 1e9;
    for (int k = 0; k < 3; k++) {
        double a = (AXIS(b->lo, k) - AXIS(o, k)) * AXIS(inv, k), c = (AXIS(b->hi, k) - AXIS(o, k)) * AXIS(inv, k);
        if (a > c) { double s = a; a = c; c = s; }
        if (a > tn) tn = a;
        if (c < tf) tf = c;
        if (tn > tf) return 0;
    }
    return 1;
}

static int occluded(const bvh *t, V o, V d)
{
    int stack[64], sp = 0;
    V inv = { 1 / d.x, 1 / d.y, 1 / d.z };
    for (stack[sp++] = 0; sp; ) {
        const bvh_node *n = &t->n[stack[--sp]];
        if (!hit_box(&n->b, o, inv)) continue;
        if (n->left >= 0) { stack[sp++] = n->left; stack[sp++] = n->left + 1; continue; }
        for (int i = n->first; i < n->first + n->count; i++) {
            const uint32_t *x = t->m->idx + 3 * t->face[i];
            V a = t->m->pos[x[0]], e1 = sub(t->m->pos[x[1]], a), e2 = sub(t->m->pos[x[2]], a);
            V p = cross(d, e2), s = sub(o, a), q = cross(s, e1);
            double det = dot(e1, p), u = dot(s, p) / det, v = dot(d, q) / det;
            if (fabs(det) > 1e-14 && u >= 0 && v >= 0 && u + v <= 1 && dot(e2, q) / det > 1e-6) return 1;
        }
    }
    return 0;
}

static void bake_ao(const mesh *m, const bvh *t, uint8_t *ao)
{
    /* OMP: parallel for schedule(dynamic, 256) */
    for (int i = 0; i < m->nv; i++) {
        int open = 0;
        V o = mad(m->pos[i], m->nrm[i], 1e-4);
        for (int k = 0; k < 8; k++) {
            V d = unit(mad((V){ sin(i + 2.1 * k) + 0.013, cos(1.7 * i - k), sin(0.3 * i * k + 1) }, m->nrm[i], 1.6));
            if (dot(d, m->nrm[i]) > 0 && !occluded(t, o, d)) open++;
        }
        ao[i] = (uint8_t)(open * 31);
    }
}

int main(void)
{
    mesh m;
    make_sphere(&m, 200, 110);
    adj a = build_adj(&m);
    smooth(&m, &a, 15, 0.5);
    normals(&m);
    bvh t = { malloc(2 * m.nf * sizeof(bvh_node)), 1, malloc(m.nf * sizeof(int)), malloc(m.nf * sizeof(V)), &m };
    for (int f = 0; f < m.nf; f++) {
        const uint32_t *x = m.idx + 3 * f;
        t.face[f] = f;
        t.cent[f] = mad(mad(m.pos[x[0]], m.pos[x[1]], 1), m.pos[x[2]], 1);
    }
    split(&t, 0, 0, m.nf);
    uint8_t *ao = malloc(m.nv);
    bake_ao(&m, &t, ao);
    double vol = 0, area = 0, shade = 0;
    uint32_t hash = 0;
    for (int f = 0; f < m.nf; f++) {
        vol += dot(m.pos[m.idx[3 * f]], m.fnrm[f]) / 6;
        area += 0.5 * sqrt(dot(m.fnrm[f], m.fnrm[f]));
    }
    for (int i = 0; i < m.nv; i++) {
        int16_t q = (int16_t)lrint(m.nrm[i].z * 100);
        hash += (uint32_t)(q + 200);
        shade += ao[i];
    }
    printf("volume %.5f area %.5f ao %.1f hash/100 %u nodes %d\n", vol, area, shade / m.nv, hash / 100, t.used);
    free(m.pos); free(m.nrm); free(m.fnrm); free(m.idx); free(a.off); free(a.nbr);
    free(t.n); free(t.face); free(t.cent); free(ao);
    return 0;
}

/* pathlet.c -- a small diffuse/mirror path tracer with a median-split BVH, for
 * the graphics course; prints image statistics so that students can compare. */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <float.h>
#include <stdint.h>
#define MIN2(a, b) ((a) < (b) ? (a) : (b))
#define MAX2(a, b) ((a) > (b) ? (a) : (b))

typedef struct { double x, y, z; } Vec3;
static inline Vec3 v3(double x, double y, double z) { Vec3 r = { x, y, z }; return r; }
static inline Vec3 add(Vec3 a, Vec3 b) { return v3(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline Vec3 sub(Vec3 a, Vec3 b) { return v3(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline Vec3 mul(Vec3 a, Vec3 b) { return v3(a.x * b.x, a.y * b.y, a.z * b.z); }
static inline Vec3 scale(Vec3 a, double s) { return v3(a.x * s, a.y * s, a.z * s); }
static inline double dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline Vec3 cross(Vec3 a, Vec3 b)
{
    return v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline Vec3 norm(Vec3 a) { return scale(a, 1.0 / sqrt(dot(a, a))); }

typedef enum { PRIM_SPHERE, PRIM_TRIANGLE } PrimKind;
typedef struct {
    PrimKind kind;
    int      material;
    union {
        struct { Vec3 centre; double radius; } sphere;
        struct { Vec3 a, e1, e2; } tri;
    } u;
} Prim;
typedef struct { Vec3 albedo; Vec3 emission; double mirror; } Material;
typedef struct { Vec3 lo, hi; int left, right, first, count; } BvhNode;
typedef struct {
    Prim    *prims;   int nPrims;
    BvhNode *nodes;   int nNodes;
    Material mats[8]; int nMats;
} Scene;

typedef struct { Vec3 org, dir, inv; } Ray;
typedef struct { double t; int prim; Vec3 normal; } Hit;
typedef struct { long rays, boxTests, primTests, bounces; } TraceStats;
typedef struct { int width, height; Vec3 *pixels; int *depth; } Image;
typedef struct { uint32_t s; } Rng;

static inline double rngUnit(Rng *r)
{
    r->s ^= r->s << 13; r->s ^= r->s >> 17; r->s ^= r->s << 5;
    return (double)(r->s >> 8) * (1.0 / 16777216.0);
}

static inline Vec3 rngVec(Rng *r, double lo, double hi)
{
    double x = rngUnit(r), y = rngUnit(r), z = rngUnit(r);
    return v3(lo + (hi - lo) * x, lo + (hi - lo) * y, lo + (hi - lo) * z);
}

static void primBounds(const Prim *p, Vec3 *lo, Vec3 *hi)
{
    if (p->kind == PRIM_SPHERE) {
        double r = p->u.sphere.radius;
        *lo = sub(p->u.sphere.centre, v3(r, r, r));
        *hi = add(p->u.sphere.centre, v3(r, r, r));
    } else {
        Vec3 a = p->u.tri.a, b = add(a, p->u.tri.e1), c = add(a, p->u.tri.e2);
        *lo = v3(MIN2(a.x, MIN2(b.x, c.x)), MIN2(a.y, MIN2(b.y, c.y)), MIN2(a.z, MIN2(b.z, c.z)));
        *hi = v3(MAX2(a.x, MAX2(b.x, c.x)), MAX2(a.y, MAX2(b.y, c.y)), MAX2(a.z, MAX2(b.z, c.z)));
    }
}

static int sortAxis;   /* qsort has no user pointer */
static double primKey(const Prim *p)
{
    Vec3 lo, hi;
    primBounds(p, &lo, &hi);
    return sortAxis == 0 ? lo.x + hi.x : sortAxis == 1 ? lo.y + hi.y : lo.z + hi.z;
}

static int cmpPrim(const void *a, const void *b)
{
    return (primKey(a) > primKey(b)) - (primKey(a) < primKey(b));
}

static int buildBvh(Scene *sc, int first, int count)
{
    int me = sc->nNodes++;
    BvhNode n = { { DBL_MAX, DBL_MAX, DBL_MAX }, { -DBL_MAX, -DBL_MAX, -DBL_MAX }, -1, -1, first, count };
    for (int i = first; i < first + count; i++) {
        Vec3 lo, hi;
        primBounds(&sc->prims[i], &lo, &hi);
        n.lo = v3(MIN2(n.lo.x, lo.x), MIN2(n.lo.y, lo.y), MIN2(n.lo.z, lo.z));
        n.hi = v3(MAX2(n.hi.x, hi.x), MAX2(n.hi.y, hi.y), MAX2(n.hi.z, hi.z));
    }
    if (count > 4) {
        Vec3 e = sub(n.hi, n.lo);
        sortAxis = (e.x > e.y && e.x > e.z) ? 0 : (e.y > e.z ? 1 : 2);
        qsort(sc->prims + first, (size_t)count, sizeof(Prim), cmpPrim);
        n.left  = buildBvh(sc, first, count / 2);
        n.right = buildBvh(sc, first + count / 2, count - count / 2);
        n.count = 0;
    }
    sc->nodes[me] = n;
    return me;
}

static inline int hitBox(const BvhNode *n, const Ray *r, double tMax)
{
    double x0 = (n->lo.x - r->org.x) * r->inv.x, x1 = (n->hi.x - r->org.x) * r->inv.x;
    double y0 = (n->lo.y - r->org.y) * r->inv.y, y1 = (n->hi.y - r->org.y) * r->inv.y;
    double z0 = (n->lo.z - r->org.z) * r->inv.z, z1 = (n->hi.z - r->org.z) * r->inv.z;
    double t0 = MAX2(MIN2(x0, x1), 0.0), t1 = MIN2(MAX2(x0, x1), tMax);
    double u0 = MIN2(y0, y1), u1 = MAX2(y0, y1), w0 = MIN2(z0, z1), w1 = MAX2(z0, z1);
    t0 = MAX2(t0, u0); t0 = MAX2(t0, w0);
    t1 = MIN2(t1, u1); t1 = MIN2(t1, w1);
    return t0 <= t1;
}

static void hitPrim(const Scene *sc, int id, const Ray *r, Hit *h)
{
    const Prim *p = &sc->prims[id];
    if (p->kind == PRIM_SPHERE) {
        Vec3 oc = sub(r->org, p->u.sphere.centre);
        double b = dot(oc, r->dir), c = dot(oc, oc) - p->u.sphere.radius * p->u.sphere.radius;
        double disc = b * b - c;
        if (disc < 0) return;
        double s = sqrt(disc), t = -b - s > 1e-3 ? -b - s : -b + s;
        if (t < 1e-3 || t >= h->t) return;
        h->t = t; h->prim = id;
        h->normal = scale(add(oc, scale(r->dir, t)), 1.0 / p->u.sphere.radius);
    } else {
        Vec3 pv = cross(r->dir, p->u.tri.e2);
        double det = dot(p->u.tri.e1, pv);
        if (fabs(det) < 1e-8) return;
        double inv = 1.0 / det;
        Vec3 tv = sub(r->org, p->u.tri.a);
        double u = dot(tv, pv) * inv;
        if (u < 0 || u > 1) return;
        Vec3 qv = cross(tv, p->u.tri.e1);
        double v = dot(r->dir, qv) * inv;
        if (v < 0 || u + v > 1) return;
        double t = dot(p->u.tri.e2, qv) * inv;
        if (t < 1e-3 || t >= h->t) return;
        h->t = t; h->prim = id;
        h->normal = norm(cross(p->u.tri.e1, p->u.tri.e2));
    }
}

static int intersect(const Scene *sc, const Ray *r, Hit *h, TraceStats *st)
{
    int stack[64], sp = 0;
    h->t = DBL_MAX; h->prim = -1; st->rays++;
    stack[sp++] = 0;
    while (sp > 0) {
        const BvhNode *n = &sc->nodes[stack[--sp]];
        st->boxTests++;
        if (!hitBox(n, r, h->t)) continue;
        for (int i = 0; i < n->count; i++, st->primTests++)
            hitPrim(sc, n->first + i, r, h);
        if (n->left >= 0) { stack[sp++] = n->left; stack[sp++] = n->right; }
    }
    return h->prim >= 0;
}

static Vec3 sampleHemisphere(Vec3 n, Rng *rng)
{
    Vec3 d;
    do d = rngVec(rng, -1, 1);
    while (dot(d, d) > 1.0 || dot(d, d) < 1e-4);
    d = add(norm(d), n);
    return dot(d, d) < 1e-6 ? n : norm(d);
}

static inline void setRay(Ray *r, Vec3 o, Vec3 d)
{
    r->org = o; r->dir = d;
    r->inv = v3(1.0 / (d.x + 1e-9), 1.0 / (d.y + 1e-9), 1.0 / (d.z + 1e-9));
}

static Vec3 radiance(const Scene *sc, Ray r, Rng *rng, int maxBounce, int *depthOut, TraceStats *st)
{
    Vec3 sum = v3(0, 0, 0), thr = v3(1, 1, 1);
    int b;
    for (b = 0; b < maxBounce; b++) {
        Hit h;
        if (!intersect(sc, &r, &h, st)) {
            double k = 0.5 * (r.dir.y + 1.0);
            sum = add(sum, mul(thr, v3(0.9 - 0.4 * k, 0.9 - 0.2 * k, 0.9)));
            break;
        }
        const Material *m = &sc->mats[sc->prims[h.prim].material];
        Vec3 n = dot(h.normal, r.dir) > 0 ? scale(h.normal, -1) : h.normal;
        Vec3 pos = add(r.org, scale(r.dir, h.t));
        sum = add(sum, mul(thr, m->emission));
        thr = mul(thr, m->albedo);
        if (thr.x + thr.y + thr.z < 0.02) break;
        st->bounces++;
        setRay(&r, pos, rngUnit(rng) < m->mirror ? sub(r.dir, scale(n, 2 * dot(r.dir, n)))
                                                 : sampleHemisphere(n, rng));
    }
    *depthOut = b;
    return sum;
}

static int makeScene(Scene *sc, int nSpheres, int nTris)
{
    Rng g = { 12345u };
    sc->nPrims = nSpheres + nTris; sc->nNodes = 0; sc->nMats = 8;
    sc->prims = malloc(sizeof(Prim) * (size_t)sc->nPrims);
    sc->nodes = malloc(sizeof(BvhNode) * 2 * (size_t)sc->nPrims);
    if (!sc->prims || !sc->nodes) return 0;
    for (int i = 0; i < 8; i++) {
        sc->mats[i].albedo = rngVec(&g, 0.3, 0.9);
        sc->mats[i].emission = i == 7 ? v3(4, 3.5, 3) : v3(0, 0, 0);
        sc->mats[i].mirror = i % 3 == 1 ? 0.8 : 0.0;
    }
    for (int i = 0; i < sc->nPrims; i++) {
        Prim *p = &sc->prims[i];
        Vec3 c = mul(rngVec(&g, -1, 1), v3(10, 4, 10));
        p->material = (int)(rngUnit(&g) * 7.999);
        p->kind = i < nSpheres ? PRIM_SPHERE : PRIM_TRIANGLE;
        if (p->kind == PRIM_SPHERE) {
            p->u.sphere.centre = c; p->u.sphere.radius = 0.15 + 0.5 * rngUnit(&g);
        } else {
            p->u.tri.a = c;
            p->u.tri.e1 = rngVec(&g, -1, 1);
            p->u.tri.e2 = rngVec(&g, -1, 1);
        }
    }
    buildBvh(sc, 0, sc->nPrims);
    return 1;
}

static void render(const Scene *sc, Image *img, int spp, TraceStats *total)
{
    const Vec3 eye = v3(0, 3, -18);
    long rays = 0, boxTests = 0, primTests = 0, bounces = 0;
    /* OMP: parallel for schedule(dynamic) reduction(+:rays, boxTests, primTests, bounces) */
    for (int y = 0; y < img->height; y++) {
        for (int x = 0; x < img->width; x++) {
            Rng rng = { 0x9E3779B9u ^ (uint32_t)(y * img->width + x + 1) * 2654435761u };
            TraceStats st = { 0, 0, 0, 0 };
            Vec3 acc = v3(0, 0, 0); int deepest = 0;
            for (int s = 0; s < spp; s++) {
                double px = ((double)x + rngUnit(&rng)) / (double)img->width - 0.5;
                double py = 0.5 - ((double)y + rngUnit(&rng)) / (double)img->height;
                Ray r; int d;
                setRay(&r, eye, norm(v3(px * 1.4, py * 1.05 - 0.15, 1.0)));
                acc = add(acc, radiance(sc, r, &rng, 5, &d, &st));
                deepest = d > deepest ? d : deepest;
            }
            img->pixels[y * img->width + x] = scale(acc, 1.0 / spp); img->depth[y * img->width + x] = deepest;
            rays += st.rays; boxTests += st.boxTests; primTests += st.primTests; bounces += st.bounces;
        }
    }
    total->rays = rays; total->boxTests = boxTests; total->primTests = primTests; total->bounces = bounces;
}

int main(void)
{
    Scene sc;
    Image img = { 160, 120, NULL, NULL };
    TraceStats st;
    int hist[8] = { 0 }, n = img.width * img.height;
    double lum = 0, lum2 = 0;
    if (!makeScene(&sc, 500, 700)) return 1;
    img.pixels = malloc(sizeof(Vec3) * (size_t)n);
    img.depth = malloc(sizeof(int) * (size_t)n);
    if (!img.pixels || !img.depth) return 1;
    render(&sc, &img, 9, &st);
    for (int i = 0; i < n; i++) {
        Vec3 p = img.pixels[i];
        double l = 0.2126 * p.x + 0.7152 * p.y + 0.0722 * p.z;
        lum += l; lum2 += l * l; hist[img.depth[i] & 7]++;
    }
    printf("nodes %d mean %.6g var %.6g\n", sc.nNodes, lum / n, lum2 / n - (lum / n) * (lum / n));
    printf("rays %ld boxes %ld prims %ld bounces %ld\n", st.rays, st.boxTests, st.primTests, st.bounces);
    for (int i = 0; i < 6; i++) printf("depth %d: %d\n", i, hist[i]);
    free(img.pixels); free(img.depth); free(sc.prims); free(sc.nodes);
    return 0;
}

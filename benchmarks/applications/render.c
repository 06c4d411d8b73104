/* b6_render.c - triangle BVH with a fog volume: primary + shadow + ambient rays
 * in 16x16 tiles, light through a voxel grid, bloom, tone map.
 * usage: b6_render [width height [mesh]] */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { float x, y, z; } vec;
typedef struct { vec o, d, inv; } ray;
typedef struct { vec lo, hi; } aabb;
typedef struct { vec a, e1, e2, n; } tri;
typedef struct { aabb box; int32_t left, first, count; } node;      /* leaf if count > 0; right = left + 1 */
typedef struct { float t; int32_t id; } hit;
typedef struct { uint64_t boxes, tris, rays; } counters;
typedef struct { int w, h; vec *px; } film;
enum { TILE = 16, VN = 64, AO_RAYS = 4, STACK = 64, LEAF = 4, BLOOM_R = 6 };
#define VOX(x, y, z) (((size_t)(z) * VN + (size_t)(y)) * VN + (size_t)(x))

static tri *g_tri;
static node *g_node;
static int32_t g_ntri, g_nnode;
static float *g_fog, *g_light;          /* VN^3 density and light reaching the voxel */
static const vec SUN = { 0.48f, 0.8f, 0.36f };

static vec V(float x, float y, float z) { return (vec){ x, y, z }; }
static vec add(vec a, vec b) { return V(a.x + b.x, a.y + b.y, a.z + b.z); }
static vec sub(vec a, vec b) { return V(a.x - b.x, a.y - b.y, a.z - b.z); }
static vec mul(vec a, float s) { return V(a.x * s, a.y * s, a.z * s); }
static float dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static vec cross(vec a, vec b) { return V(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x); }
static vec norm(vec a) { return mul(a, 1.0f / sqrtf(dot(a, a))); }
static vec vmin(vec a, vec b) { return V(fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z)); }
static vec vmax(vec a, vec b) { return V(fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z)); }
static float axis_of(vec a, int k) { return k == 0 ? a.x : k == 1 ? a.y : a.z; }
static float rnd01(uint32_t *s) { *s = *s * 1664525u + 1013904223u; return (float)(*s >> 8) / 16777216.0f; }

static void *mem(size_t n)
{
    void *p = calloc(1, n);
    if (!p) { fprintf(stderr, "render: out of memory\n"); exit(1); }
    return p;
}

static vec surface(int i, int j, int m)
{
    float u = 6.2831853f * (float)i / (float)m, v = 3.1415926f * (float)j / (float)m;
    float r = 0.55f + 0.06f * sinf(9 * u) * sinf(7 * v) + 0.03f * cosf(23 * v + 5 * u);
    return V(r * sinf(v) * cosf(u), r * cosf(v), r * sinf(v) * sinf(u));
}

static void put_tri(vec a, vec b, vec c)
{
    vec e1 = sub(b, a), e2 = sub(c, a), n = cross(e1, e2);
    if (dot(n, n) < 1e-16f) return;
    g_tri[g_ntri++] = (tri){ a, e1, e2, norm(n) };
}

static void build_scene(int m)
{
    g_tri = mem(sizeof(tri) * ((size_t)2 * m * m + 2));
    for (int j = 0; j < m; j++)
        for (int i = 0; i < m; i++) {
            vec p = surface(i, j, m), q = surface(i + 1, j, m), r = surface(i + 1, j + 1, m), s = surface(i, j + 1, m);
            put_tri(p, q, r); put_tri(p, r, s);
        }
    put_tri(V(-3, -0.7f, -3), V(-3, -0.7f, 3), V(3, -0.7f, 3));
    put_tri(V(-3, -0.7f, -3), V(3, -0.7f, 3), V(3, -0.7f, -3));
}

static vec centre(const tri *t) { return add(t->a, mul(add(t->e1, t->e2), 1.0f / 3)); }
static void bvh_build(int32_t self, int32_t first, int32_t count)
{
    aabb b = { V(1e30f, 1e30f, 1e30f), V(-1e30f, -1e30f, -1e30f) }, cb = b;
    for (const tri *t = g_tri + first; t < g_tri + first + count; t++) {
        vec p = add(t->a, t->e1), q = add(t->a, t->e2), c = centre(t);
        b.lo = vmin(b.lo, vmin(t->a, vmin(p, q))); b.hi = vmax(b.hi, vmax(t->a, vmax(p, q)));
        cb.lo = vmin(cb.lo, c); cb.hi = vmax(cb.hi, c);
    }
    g_node[self] = (node){ b, 0, first, count };
    vec ext = sub(cb.hi, cb.lo);
    int ax = ext.x > ext.y ? (ext.x > ext.z ? 0 : 2) : (ext.y > ext.z ? 1 : 2);
    float split = 0.5f * (axis_of(cb.lo, ax) + axis_of(cb.hi, ax));
    int32_t i = first, j = first + count - 1;
    if (count <= LEAF) return;
    while (i <= j) {
        if (axis_of(centre(&g_tri[i]), ax) < split) { i++; continue; }
        tri t = g_tri[i]; g_tri[i] = g_tri[j]; g_tri[j--] = t;
    }
    if (i == first || i == first + count) return;
    int32_t l = (g_nnode += 2) - 2;
    g_node[self].left = l; g_node[self].count = 0;
    bvh_build(l, first, i - first);
    bvh_build(l + 1, i, first + count - i);
}

static ray make_ray(vec o, vec d)
{
    return (ray){ o, d, V(1 / (fabsf(d.x) > 1e-9f ? d.x : 1e-9f), 1 / (fabsf(d.y) > 1e-9f ? d.y : 1e-9f), 1 / (fabsf(d.z) > 1e-9f ? d.z : 1e-9f)) };
}

static int hit_box(const aabb *b, const ray *r, float tmax, float *t0)
{
    float ax = (b->lo.x - r->o.x) * r->inv.x, bx = (b->hi.x - r->o.x) * r->inv.x;
    float ay = (b->lo.y - r->o.y) * r->inv.y, by = (b->hi.y - r->o.y) * r->inv.y;
    float az = (b->lo.z - r->o.z) * r->inv.z, bz = (b->hi.z - r->o.z) * r->inv.z;
    float n = fmaxf(fmaxf(fminf(ax, bx), fminf(ay, by)), fmaxf(fminf(az, bz), 0));
    float f = fminf(fminf(fmaxf(ax, bx), fmaxf(ay, by)), fminf(fmaxf(az, bz), tmax));
    return *t0 = n, n <= f;
}

static int hit_tri(const tri *t, const ray *r, float tmax, float *out)
{
    vec p = cross(r->d, t->e2), s = sub(r->o, t->a);
    float det = dot(t->e1, p), inv = 1 / det, u = dot(s, p) * inv;
    if (fabsf(det) < 1e-12f || u < 0 || u > 1) return 0;
    vec q = cross(s, t->e1);
    float v = dot(r->d, q) * inv, d = dot(t->e2, q) * inv;
    if (v < 0 || u + v > 1 || d < 1e-4f || d >= tmax) return 0;
    *out = d;
    return 1;
}

/* nearest hit, or (any != 0) just the first one found */
static hit trace(ray r, float tmax, int any, counters *st)
{
    int32_t stack[STACK], sp = 0;
    hit h = { tmax, -1 };
    st->rays++;
    stack[sp++] = 0;
    while (sp > 0) {
        const node *nd = &g_node[stack[--sp]];
        float tl, tr;
        if (nd->count > 0) {
            for (int32_t k = nd->first; k < nd->first + nd->count; k++) {
                st->tris++;
                if (!hit_tri(&g_tri[k], &r, h.t, &h.t)) continue;
                h.id = k;
                if (any) return h;
            }
            continue;
        }
        st->boxes += 2;
        int hl = hit_box(&g_node[nd->left].box, &r, h.t, &tl), hr = hit_box(&g_node[nd->left + 1].box, &r, h.t, &tr);
        if (hl && hr && sp + 2 <= STACK) {
            stack[sp++] = tl < tr ? nd->left + 1 : nd->left;
            stack[sp++] = tl < tr ? nd->left : nd->left + 1;
        } else if (hl || hr)
            stack[sp++] = hl ? nd->left : nd->left + 1;
    }
    return h;
}

static size_t voxel_at(vec p)
{
    int x = (int)((p.x + 1.5f) * (VN / 3.0f)), y = (int)((p.y + 1.5f) * (VN / 3.0f)), z = (int)((p.z + 1.5f) * (VN / 3.0f));
    return (x | y | z) < 0 || x >= VN || y >= VN || z >= VN ? (size_t)-1 : VOX(x, y, z);
}

static void light_volume(counters *st)
{
    uint64_t boxes = 0, tris = 0, rays = 0;
    for (int i = VN * VN * VN; i-- > 0; ) {
        int x = i % VN, y = i / VN % VN, z = i / (VN * VN);
        g_fog[i] = 0.9f * expf(-(float)y * 0.06f) * (0.6f + 0.4f * sinf(0.3f * (float)x) * cosf(0.23f * (float)z));
    }
    /* OMP: parallel for collapse(2) schedule(dynamic,16) reduction(+:boxes,tris,rays) */
    for (int z = 0; z < VN; z++)
        for (int y = 0; y < VN; y++)
            for (int x = 0; x < VN; x++) {
                counters c = { 0, 0, 0 };
                vec p = V(((float)x + .5f) * 3 / VN - 1.5f, ((float)y + .5f) * 3 / VN - 1.5f, ((float)z + .5f) * 3 / VN - 1.5f);
                float depth = 0, t = 0;
                if (trace(make_ray(p, SUN), 10, 1, &c).id < 0) {
                    size_t v;
                    while ((v = voxel_at(add(p, mul(SUN, t)))) != (size_t)-1) { depth += g_fog[v] * 0.05f; t += 0.05f; }
                    g_light[VOX(x, y, z)] = expf(-depth);
                } else
                    g_light[VOX(x, y, z)] = 0.05f;
                boxes += c.boxes; tris += c.tris; rays += c.rays;
            }
    st->boxes += boxes; st->tris += tris; st->rays += rays;
}

static vec shade(vec eye, vec dir, uint32_t *seed, counters *st)
{
    hit h = trace(make_ray(eye, dir), 12, 0, st);
    vec c = V(0.35f, 0.5f, 0.8f);
    if (h.id >= 0) {
        vec p = add(eye, mul(dir, h.t)), n = g_tri[h.id].n;
        if (dot(n, dir) > 0) n = mul(n, -1);
        p = add(p, mul(n, 2e-3f));
        float sun = fmaxf(0, dot(n, SUN)), open = 0;
        if (sun > 0 && trace(make_ray(p, SUN), 10, 1, st).id >= 0) sun = 0;
        for (int k = 0; k < AO_RAYS; k++) {
            vec d;
            do d = V(2 * rnd01(seed) - 1, 2 * rnd01(seed) - 1, 2 * rnd01(seed) - 1); while (dot(d, d) > 1 || dot(d, d) < 1e-4f);
            if (dot(d, n) < 0) d = mul(d, -1);
            if (trace(make_ray(p, norm(d)), 0.6f, 1, st).id < 0) open += 1.0f / AO_RAYS;
        }
        c = add(mul(V(0.9f, 0.75f, 0.5f), sun), mul(V(0.2f, 0.25f, 0.35f), open));
    }
    float T = 1, glow = 0;
    for (float t = 0.03f; t < h.t && t < 6; t += 0.06f) {       /* fog in front of it */
        size_t v = voxel_at(add(eye, mul(dir, t)));
        if (v == (size_t)-1) continue;
        float a = 1 - expf(-g_fog[v] * 0.06f);
        glow += T * a * g_light[v];
        if ((T *= 1 - a) < 0.01f) break;
    }
    return add(mul(c, T), mul(V(1, 0.95f, 0.85f), glow));
}

static void render(film *f, counters *total)
{
    const int tx = (f->w + TILE - 1) / TILE, ty = (f->h + TILE - 1) / TILE;
    const vec eye = V(1.1f, 0.5f, -2.1f), fw = norm(sub(V(0, -0.1f, 0), eye)), rt = norm(cross(V(0, 1, 0), fw)), up = cross(fw, rt);
    uint64_t boxes = 0, tris = 0, rays = 0;
    /* OMP: parallel for schedule(dynamic,1) reduction(+:boxes,tris,rays) */
    for (int tile = 0; tile < tx * ty; tile++) {
        counters st = { 0, 0, 0 };
        int x0 = tile % tx * TILE, y0 = tile / tx * TILE;
        uint32_t seed = (uint32_t)tile * 747796405u + 1u;
        for (int y = y0; y < y0 + TILE && y < f->h; y++)
            for (int x = x0; x < x0 + TILE && x < f->w; x++) {
                float u = (2 * ((float)x + rnd01(&seed)) - (float)f->w) / (float)f->h, v = 1 - 2 * ((float)y + rnd01(&seed)) / (float)f->h;
                f->px[y * f->w + x] = shade(eye, norm(add(fw, add(mul(rt, 0.6f * u), mul(up, 0.6f * v)))), &seed, &st);
            }
        boxes += st.boxes; tris += st.tris; rays += st.rays;
    }
    total->boxes += boxes; total->tris += tris; total->rays += rays;
}

/* one pass along rows, written transposed; two passes give the 2-D blur */
static void blur_pass(const film *src, film *dst)
{
    dst->w = src->h; dst->h = src->w;
    /* OMP: parallel for schedule(static) */
    for (int y = 0; y < src->h; y++)
        for (int x = 0; x < src->w; x++) {
            vec s = V(0, 0, 0);
            float wsum = 0;
            for (int k = -BLOOM_R; k <= BLOOM_R; k++) {
                if (x + k < 0 || x + k >= src->w) continue;
                float wt = (float)(BLOOM_R + 1 - abs(k));
                s = add(s, mul(src->px[y * src->w + x + k], wt)); wsum += wt;
            }
            dst->px[x * dst->w + y] = mul(s, 1 / wsum);
        }
}

int main(int argc, char **argv)
{
    int w = argc > 2 ? atoi(argv[1]) : 800, h = argc > 2 ? atoi(argv[2]) : 600, m = argc > 3 ? atoi(argv[3]) : 160;
    if (w < 8 || h < 8 || m < 4 || m > 4000) { fprintf(stderr, "usage: %s [width height [mesh 4..4000]]\n", argv[0]); return 1; }
    const size_t n = (size_t)w * (size_t)h;
    film a = { w, h, mem(n * sizeof(vec)) }, b = { 0, 0, mem(n * sizeof(vec)) }, c = { 0, 0, mem(n * sizeof(vec)) };
    counters st = { 0, 0, 0 };
    unsigned hist[256] = { 0 }, mode = 0;
    double lum = 0, logsum = 0;
    build_scene(m);
    g_node = mem(sizeof(node) * 2 * (size_t)g_ntri);
    g_nnode = 1;
    bvh_build(0, 0, g_ntri);
    g_fog = mem(sizeof(float) * VN * VN * VN); g_light = mem(sizeof(float) * VN * VN * VN);
    light_volume(&st);
    render(&a, &st);
    blur_pass(&a, &b); blur_pass(&b, &c);
    for (size_t i = 0; i < n; i++) {
        vec p = add(mul(a.px[i], 0.8f), mul(c.px[i], 0.2f));
        float y = 0.2126f * p.x + 0.7152f * p.y + 0.0722f * p.z;
        lum += y; logsum += log(1e-4 + y);
        hist[(int)(255.99f * y / (1 + y))]++;
    }
    for (unsigned k = 1; k < 256; k++) if (hist[k] > hist[mode]) mode = k;
    printf("%d triangles, %d nodes, rays %lu, boxes %lu, tests %lu\n", g_ntri, g_nnode, st.rays, st.boxes, st.tris);
    printf("luminance %.6e, log mean %.6e, mode %u (%u)\n", lum, exp(logsum / (double)n), mode, hist[mode]);
    return 0;
}

/* Animation: the bones of a skeleton turn one after the other, and its vertices follow up to four of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef float mat4[16];
typedef struct { float x, y, z, w; } vec4;
typedef struct { unsigned char bone[4]; float weight[4]; vec4 rest; } vertex;

typedef struct {
    int    bones;
    int   *parent;
    mat4  *local, *world;
} rig;

typedef struct {
    long    count;
    vertex *v;
    vec4   *posed;
} mesh;

static void mat4_mul(mat4 out, const mat4 a, const mat4 b)
{
    int r, c, k;

    for (r = 0; r < 4; r++)
        for (c = 0; c < 4; c++)
        {
            float s = 0;
            for (k = 0; k < 4; k++)
                s += a[4 * r + k] * b[4 * k + c];
            out[4 * r + c] = s;
        }
}

static vec4 mat4_apply(const mat4 m, vec4 v)
{
    vec4 r;

    r.x = m[0] * v.x + m[1] * v.y + m[2] * v.z + m[3] * v.w;
    r.y = m[4] * v.x + m[5] * v.y + m[6] * v.z + m[7] * v.w;
    r.z = m[8] * v.x + m[9] * v.y + m[10] * v.z + m[11] * v.w;
    r.w = m[12] * v.x + m[13] * v.y + m[14] * v.z + m[15] * v.w;
    return r;
}

static void rotation(mat4 m, float angle, float shift)
{
    int i;

    for (i = 0; i < 16; i++)
        m[i] = i % 5 == 0;
    m[0] = m[5] = cosf(angle);
    m[1] = -(m[4] = sinf(angle));
    m[7] = shift;
}

static void pose(rig *r, float time)
{
    int b;

    for (b = 0; b < r->bones; b++)
    {
        rotation(r->local[b], 0.02f * sinf(time + b), 0.1f);
        if (r->parent[b] < 0)
            for (int i = 0; i < 16; i++)
                r->world[b][i] = r->local[b][i];
        else
            mat4_mul(r->world[b], r->world[r->parent[b]], r->local[b]);
    }
}

static void skin(const rig *r, mesh *m)
{
    long i;
    int  k;

    for (i = 0; i < m->count; i++)
    {
        const vertex *v = &m->v[i];
        vec4 sum = { 0, 0, 0, 0 };
        for (k = 0; k < 4; k++)
        {
            vec4 p = mat4_apply(r->world[v->bone[k]], v->rest);
            sum.x += v->weight[k] * p.x;
            sum.y += v->weight[k] * p.y;
            sum.z += v->weight[k] * p.z;
            sum.w += v->weight[k] * p.w;
        }
        m->posed[i] = sum;
    }
}

int main(int argc, char **argv)
{
    mesh m = { argc > 1 ? atol(argv[1]) : 20000, NULL, NULL };
    rig r = { 40, NULL, NULL, NULL };
    int frames = argc > 2 ? atoi(argv[2]) : 240, f, b, k;
    double sum = 0;
    long i;
    struct timespec t0, t1;

    r.parent = malloc(r.bones * sizeof(int));
    r.local = malloc(r.bones * sizeof(mat4));
    r.world = malloc(r.bones * sizeof(mat4));
    for (b = 0; b < r.bones; b++)
        r.parent[b] = b ? (b - 1) / 2 : -1;
    m.v = malloc(m.count * sizeof(vertex));
    m.posed = malloc(m.count * sizeof(vec4));
    for (i = 0; i < m.count; i++)
    {
        vec4 at = { i % 17 * 0.1f, i % 23 * 0.2f, i % 31 * 0.05f, 1 };
        m.v[i].rest = at;
        for (k = 0; k < 4; k++)
        {
            m.v[i].bone[k] = (i * 7 + k * 3) % r.bones;
            m.v[i].weight[k] = 0.4f - 0.1f * k;
        }
    }
    clock_gettime(CLOCK_MONOTONIC, &t0);
    for (f = 0; f < frames; f++)
    {
        pose(&r, f * 0.05f);
        skin(&r, &m);
    }
    clock_gettime(CLOCK_MONOTONIC, &t1);
    for (i = 0; i < m.count; i++)
        sum += m.posed[i].x + 2 * m.posed[i].y + 3 * m.posed[i].z;
    printf("%.6e\n", sum);
    fprintf(stderr, "%.6f\n", (t1.tv_sec - t0.tv_sec) + 1e-9 * (t1.tv_nsec - t0.tv_nsec));
    return 0;
}

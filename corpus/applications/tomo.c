/* tomo.c - parallel-beam CT: phantom, projection, filtered back projection.
**
** tomo [image size] [angles] [samples per pixel]
**
** Everything is float, rows are padded to 16 pixels (the detector read-out
** software delivers them that way).
*/
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <string.h>
#include <math.h>

struct image
{
    int     w, h;
    size_t  pitch;      /* in floats, >= w */
    float  *pix;
};

struct ellipse
{
    float value, a, b, cx, cy, phi;     /* semi axes and centre in [-1,1], degrees */
};

/* Shepp & Logan, modified contrast (Toft) */
static const struct ellipse head[] =
{
    {  1.0f, 0.6900f, 0.9200f,  0.00f,  0.0000f,   0.0f },
    { -0.8f, 0.6624f, 0.8740f,  0.00f, -0.0184f,   0.0f },
    { -0.2f, 0.1100f, 0.3100f,  0.22f,  0.0000f, -18.0f },
    { -0.2f, 0.1600f, 0.4100f, -0.22f,  0.0000f,  18.0f },
    {  0.1f, 0.2100f, 0.2500f,  0.00f,  0.3500f,   0.0f },
    {  0.1f, 0.0460f, 0.0460f,  0.00f,  0.1000f,   0.0f },
    {  0.1f, 0.0460f, 0.0460f,  0.00f, -0.1000f,   0.0f },
    {  0.1f, 0.0460f, 0.0230f, -0.08f, -0.6050f,   0.0f },
    {  0.1f, 0.0230f, 0.0230f,  0.00f, -0.6060f,   0.0f },
    {  0.1f, 0.0230f, 0.0460f,  0.06f, -0.6050f,   0.0f },
    {  0.0f, 0, 0, 0, 0, 0 }            /* end */
};

#define ROW(im, y)      ((im)->pix + (size_t)(y) * (im)->pitch)
#define RAD(d)          ((d) * (float)M_PI / 180.0f)

static struct image *make_image(int w, int h)
{
    struct image *im = malloc(sizeof *im);

    if (im == NULL)
        goto fail;
    im->w = w;
    im->h = h;
    im->pitch = ((size_t)w + 15) & ~(size_t)15;
    if ((im->pix = calloc(im->pitch * (size_t)h, sizeof(float))) == NULL)
        goto fail;
    return im;
fail:
    fprintf(stderr, "tomo: cannot allocate %d x %d image\n", w, h);
    exit(1);
}

static void draw_phantom(struct image *im)
{
    const struct ellipse *e;
    int x, y;

    for (e = head; e->a > 0.0f; e++)
    {
        float c = cosf(RAD(e->phi)), s = sinf(RAD(e->phi));
        for (y = 0; y < im->h; y++)
        {
            float *p = ROW(im, y);
            float v = 1.0f - 2.0f * ((float)y + 0.5f) / (float)im->h - e->cy;
            for (x = 0; x < im->w; x++, p++)
            {
                float u = 2.0f * ((float)x + 0.5f) / (float)im->w - 1.0f - e->cx;
                float xr = (u * c + v * s) / e->a, yr = (v * c - u * s) / e->b;
                if (xr * xr + yr * yr <= 1.0f)
                    *p += e->value;
            }
        }
    }
}

/* bilinear look-up, zero outside */
static float lookup(const struct image *im, float x, float y)
{
    int ix, iy;
    float fx, fy;
    const float *p, *q;

    if (x < 0.0f || y < 0.0f || x >= (float)(im->w - 1) || y >= (float)(im->h - 1))
        return 0.0f;
    ix = (int)x;
    iy = (int)y;
    fx = x - (float)ix;
    fy = y - (float)iy;
    p = ROW(im, iy) + ix;
    q = p + im->pitch;
    return (1.0f - fy) * (p[0] + fx * (p[1] - p[0])) + fy * (q[0] + fx * (q[1] - q[0]));
}

/* one detector cell at one angle: march along the ray */
static float line_integral(const struct image *im, float c, float s, float t, int over)
{
    float half = 0.71f * (float)im->w, step = 1.0f / (float)over;
    float mx = 0.5f * (float)(im->w - 1), my = 0.5f * (float)(im->h - 1);
    int n = (int)(2.0f * half) * over, k;
    float sum = 0.0f;

    for (k = 0; k < n; k++)
    {
        float r = -half + ((float)k + 0.5f) * step;
        sum += lookup(im, mx + t * c - r * s, my + t * s + r * c);
    }
    return sum * step;
}

static void project(const struct image *im, struct image *sino, int over)
{
    int a, d;

    /* OMP: parallel for private(d) schedule(dynamic,4) */
    for (a = 0; a < sino->h; a++)
    {
        float th = (float)M_PI * (float)a / (float)sino->h;
        float c = cosf(th), s = sinf(th);
        float *out = ROW(sino, a);

        for (d = 0; d < sino->w; d++)
        {
            float t = (float)d - 0.5f * (float)(sino->w - 1);
            if (fabsf(t) > 0.71f * (float)im->w)
            {
                out[d] = 0.0f;
                continue;
            }
            out[d] = line_integral(im, c, s, t, over);
        }
    }
}

/* Ram-Lak in the spatial domain, rows in place */
static void ramp_filter(struct image *sino)
{
    int n = sino->w, i, a;
    float *kern = malloc((size_t)(2 * n) * sizeof *kern);

    if (kern == NULL)
    {
        perror("ramp_filter");
        exit(1);
    }
    for (i = -n; i < n; i++)
        kern[i + n] = i == 0 ? 0.25f
                    : i % 2  ? -1.0f / (float)(M_PI * M_PI * (double)i * i)
                             : 0.0f;

    /* OMP: parallel for */
    for (a = 0; a < sino->h; a++)
    {
        float *row = ROW(sino, a);
        float *tmp = malloc((size_t)n * sizeof *tmp);
        int j, k;

        if (tmp == NULL)
        {
            perror("ramp_filter");
            exit(1);
        }
        for (j = 0; j < n; j++)
        {
            const float *kp = kern + n + j;
            float acc = 0.0f;
            for (k = 0; k < n; k++)
                acc += row[k] * *kp--;
            tmp[j] = acc;
        }
        memcpy(row, tmp, (size_t)n * sizeof *tmp);
        free(tmp);
    }
    free(kern);
}

/* smear one filtered projection over the image */
static void smear(struct image *im, const float *proj, int ndet, float th)
{
    const float c = cosf(th), s = sinf(th);
    const float mx = 0.5f * (float)(im->w - 1), my = 0.5f * (float)(im->h - 1);
    const float mid = 0.5f * (float)(ndet - 1);

    /* OMP: parallel for schedule(static) */
    for (int y = 0; y < im->h; y++)
    {
        float *p = ROW(im, y);
        float t = mid - mx * c + ((float)y - my) * s;
        int x = im->w;

        while (x-- > 0)
        {
            int k = (int)t;
            float f = t - (float)k;
            if (t >= 0.0f && k < ndet - 1)
                *p += proj[k] + f * (proj[k + 1] - proj[k]);
            p++;
            t += c;
        }
    }
}

static void reconstruct(const struct image *sino, struct image *im)
{
    float scale = (float)M_PI / (float)sino->h;
    int a, x, y;

    for (a = 0; a < sino->h; a++)
        smear(im, ROW(sino, a), sino->w, scale * (float)a);
    for (y = 0; y < im->h; y++)
        for (x = 0; x < im->w; x++)
            ROW(im, y)[x] *= scale;
}

struct quality
{
    double rms, worst, mean;
    long   n;
};

/* inside the inscribed circle only */
static struct quality compare(const struct image *a, const struct image *b)
{
    struct quality q = { 0.0, 0.0, 0.0, 0 };
    double r2 = 0.25 * (double)a->w * a->w;

    for (int y = 0; y < a->h; y++)
    {
        const float *p = ROW(a, y), *r = ROW(b, y);
        for (int x = 0; x < a->w; x++)
        {
            double dx = x - 0.5 * (a->w - 1), dy = y - 0.5 * (a->h - 1), d;
            if (dx * dx + dy * dy > r2)
                continue;
            d = (double)p[x] - (double)r[x];
            q.rms += d * d;
            q.mean += p[x];
            if (fabs(d) > q.worst)
                q.worst = fabs(d);
            q.n++;
        }
    }
    q.rms = sqrt(q.rms / (double)q.n);
    q.mean /= (double)q.n;
    return q;
}

int main(int argc, char **argv)
{
    int size = argc > 1 ? atoi(argv[1]) : 384;
    int angles = argc > 2 ? atoi(argv[2]) : 320;
    int over = argc > 3 ? atoi(argv[3]) : 1;

    if (size < 16 || angles < 4 || over < 1)
    {
        fprintf(stderr, "usage: %s [size] [angles] [oversampling]\n", argv[0]);
        return 1;
    }

    int ndet = (int)(1.45 * size) | 1;
    struct image *phantom = make_image(size, size);
    struct image *sino = make_image(ndet, angles);
    struct image *rec = make_image(size, size);

    draw_phantom(phantom);
    project(phantom, sino, over);

    /* every projection should see the same mass */
    double mass_lo = HUGE_VAL, mass_hi = 0.0;
    for (int a = 0; a < angles; a++)
    {
        double mass = 0.0;
        for (int d = 0; d < ndet; d++)
            mass += ROW(sino, a)[d];
        mass_lo = fmin(mass_lo, mass);
        mass_hi = fmax(mass_hi, mass);
    }

    ramp_filter(sino);
    reconstruct(sino, rec);

    struct quality q = compare(rec, phantom);
    printf("size %d  angles %d  detectors %d\n", size, angles, ndet);
    printf("mass %.5e .. %.5e\n", mass_lo, mass_hi);
    printf("rms error %.4e  worst %.3e  mean %.5e  pixels %ld\n", q.rms, q.worst, q.mean, q.n);
    printf("centre row");
    for (int i = 1; i < 8; i++)
        printf(" %.3e", ROW(rec, size / 2)[i * size / 8]);
    printf("\n");

    return 0;
}

// photo.c: camera pipeline test bench: a synthetic scene goes through an RGGB Bayer
// sensor, demosaic, white balance, YCbCr, 8x8 DCT + quantisation and back.
// photo [width [height [quality]]]      (width and height multiples of 8)

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <math.h>

typedef enum { SITE_R, SITE_GR, SITE_GB, SITE_B } Site;
typedef struct { uint8_t r, g, b; } Pixel;

typedef struct {
    int   width, height, stride;      // stride in pixels
    Pixel pixels[];
} Image;

typedef struct {
    int     width, height;
    float **row;        // row[y] points into one big block
} Plane;

#define CLAMP255(v)  ((v) < 0 ? 0 : (v) > 255 ? 255 : (v))
#define PIX(img, x, y)  ((img)->pixels[(y) * (img)->stride + (x)])

static void *checked_alloc(size_t bytes)
{
    void *p = calloc(1, bytes);
    if (p == NULL)
        perror("photo"), exit(2);
    return p;
}

static Image *make_image(int width, int height)
{
    int stride = width + 16;
    Image *img = checked_alloc(sizeof(Image) + (size_t)stride * height * sizeof(Pixel));
    img->width = width, img->height = height, img->stride = stride;
    return img;
}

static Plane *make_plane(int width, int height)
{
    Plane *p = checked_alloc(sizeof(Plane));
    p->width = width, p->height = height;
    p->row = checked_alloc(height * sizeof(float *));
    p->row[0] = checked_alloc((size_t)width * height * sizeof(float));
    for (int y = 1; y < height; y++)
        p->row[y] = p->row[y - 1] + width;
    return p;
}

static uint8_t to_byte(double v)
{
    return (uint8_t)CLAMP255((int)(v + 0.5));
}

static void render_scene(Image *img)
{
    /* OMP: parallel for */
    for (int y = 0; y < img->height; y++)
        for (int x = 0; x < img->width; x++) {
            double u = (double)x / img->width, v = (double)y / img->height;
            double d = sqrt((u - 0.4) * (u - 0.4) + (v - 0.5) * (v - 0.5));
            double ring = 0.5 + 0.5 * cos(60.0 * d * d);
            Pixel *p = &PIX(img, x, y);
            p->r = to_byte(40 + 180 * u * ring);
            p->g = to_byte(30 + 150 * ring * (1 - 0.5 * v) + 20 * u);
            p->b = to_byte(25 + 120 * v + 40 * sin(9 * u) * ring);
        }
}

static Site site_at(int x, int y)
{
    if (y & 1)
        return (x & 1) ? SITE_B : SITE_GB;
    return (x & 1) ? SITE_GR : SITE_R;
}

// sensor with a green cast and a little fixed pattern noise
static void expose(const Image *scene, uint8_t *raw)
{
    unsigned pattern = 2463534242u;
    for (int y = 0; y < scene->height; y++)
        for (int x = 0; x < scene->width; x++) {
            const Pixel *p = &PIX(scene, x, y);
            double v = 0;
            switch (site_at(x, y)) {
                case SITE_R:  v = 0.70 * p->r; break;
                case SITE_GR:
                case SITE_GB: v = 0.98 * p->g; break;
                case SITE_B:  v = 0.80 * p->b; break;
            }
            pattern ^= pattern << 13, pattern ^= pattern >> 17, pattern ^= pattern << 5;
            raw[y * scene->width + x] = to_byte(v + (double)(pattern % 5) - 2.0);
        }
}

static int tap(const uint8_t *raw, int w, int h, int x, int y)
{
    // mirror, so that the colour of the site stays right
    x = x < 0 ? -x : x >= w ? 2 * w - 2 - x : x;
    y = y < 0 ? -y : y >= h ? 2 * h - 2 - y : y;
    return raw[y * w + x];
}

static void demosaic(const uint8_t *raw, Image *out)
{
    const int w = out->width, h = out->height;
    int x, y;
    /* OMP: parallel for private(x) */
    for (y = 0; y < h; y++)
        for (x = 0; x < w; x++) {
            int c = tap(raw, w, h, x, y);
            int horz = (tap(raw, w, h, x - 1, y) + tap(raw, w, h, x + 1, y)) / 2;
            int vert = (tap(raw, w, h, x, y - 1) + tap(raw, w, h, x, y + 1)) / 2;
            int diag = (tap(raw, w, h, x - 1, y - 1) + tap(raw, w, h, x + 1, y - 1) +
                        tap(raw, w, h, x - 1, y + 1) + tap(raw, w, h, x + 1, y + 1)) / 4;
            Pixel p = { 0, 0, 0 };
            switch (site_at(x, y)) {
                case SITE_R:  p.r = c;    p.g = (horz + vert) / 2; p.b = diag; break;
                case SITE_GR: p.r = horz; p.g = c;                 p.b = vert; break;
                case SITE_GB: p.r = vert; p.g = c;                 p.b = horz; break;
                case SITE_B:  p.r = diag; p.g = (horz + vert) / 2; p.b = c;    break;
            }
            PIX(out, x, y) = p;
        }
}

static void white_balance(Image *img, const Image *reference)
{
    uint64_t have[3] = { 0, 0, 0 }, want[3] = { 0, 0, 0 };
    uint8_t lut[3][256];
    /* OMP: parallel for reduction(+:have,want) */
    for (int y = 0; y < img->height; y++) {
        const Pixel *p = &PIX(img, 0, y), *q = &PIX(reference, 0, y);
        for (int x = 0; x < img->width; x++, p++, q++) {
            have[0] += p->r;   want[0] += q->r;
            have[1] += p->g;   want[1] += q->g;
            have[2] += p->b;   want[2] += q->b;
        }
    }
    for (int c = 0; c < 3; c++) {
        double gain = have[c] ? (double)want[c] / (double)have[c] : 1.0;
        for (int i = 0; i < 256; i++)
            lut[c][i] = to_byte(gain * i);
        printf("gain[%d] %.6f\n", c, gain);
    }
    /* OMP: parallel for */
    for (int y = 0; y < img->height; y++) {
        Pixel *p = &PIX(img, 0, y), *end = p + img->width;
        for (; p != end; p++) {
            p->r = lut[0][p->r];
            p->g = lut[1][p->g];
            p->b = lut[2][p->b];
        }
    }
}

static const int luma_table[64] = {
    16, 11, 10, 16, 24, 40, 51, 61,     12, 12, 14, 19, 26, 58, 60, 55,
    14, 13, 16, 24, 40, 57, 69, 56,     14, 17, 22, 29, 51, 87, 80, 62,
    18, 22, 37, 56, 68, 109, 103, 77,   24, 35, 55, 64, 81, 104, 113, 92,
    49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99
};

static float basis[8][8];

// transform in place: block = B * block * B' (forward) or B' * block * B
static void dct8x8(float block[8][8], int inverse)
{
    float tmp[8][8];
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            float s = 0;
            for (int k = 0; k < 8; k++)
                s += (inverse ? basis[k][i] : basis[i][k]) * block[k][j];
            tmp[i][j] = s;
        }
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            float s = 0;
            for (int k = 0; k < 8; k++)
                s += tmp[i][k] * (inverse ? basis[k][j] : basis[j][k]);
            block[i][j] = s;
        }
}

// returns the number of coefficients that survive
static long compress_plane(Plane *plane, int quality, int chroma)
{
    int scale = quality < 50 ? 5000 / quality : 200 - 2 * quality;
    float q[64];
    long kept = 0;
    for (int i = 0; i < 64; i++) {
        int step = (luma_table[i] * scale + 50) / 100 * (chroma ? 2 : 1);
        q[i] = (float)(step < 1 ? 1 : step);
    }

    /* OMP: parallel for reduction(+:kept) schedule(dynamic,4) */
    for (int by = 0; by < plane->height / 8; by++)
        for (int bx = 0; bx < plane->width / 8; bx++) {
            float block[8][8];
            for (int i = 0; i < 8; i++)
                memcpy(block[i], plane->row[by * 8 + i] + bx * 8, sizeof block[i]);
            dct8x8(block, 0);
            for (int i = 0; i < 64; i++) {
                int level = (int)lrintf(block[i / 8][i % 8] / q[i]);
                if (level != 0)
                    kept++;
                block[i / 8][i % 8] = (float)level * q[i];
            }
            dct8x8(block, 1);
            for (int i = 0; i < 8; i++)
                memcpy(plane->row[by * 8 + i] + bx * 8, block[i], sizeof block[i]);
        }
    return kept;
}

static void to_ycc(const Image *img, Plane *ycc[3])
{
    /* OMP: parallel for */
    for (int y = 0; y < img->height; y++)
        for (int x = 0; x < img->width; x++) {
            Pixel p = PIX(img, x, y);
            float luma = 0.299f * p.r + 0.587f * p.g + 0.114f * p.b;
            ycc[0]->row[y][x] = luma - 128.0f;
            ycc[1]->row[y][x] = 0.564f * (p.b - luma);
            ycc[2]->row[y][x] = 0.713f * (p.r - luma);
        }
}

static void from_ycc(Plane *const ycc[3], Image *img)
{
    /* OMP: parallel for */
    for (int y = 0; y < img->height; y++)
        for (int x = 0; x < img->width; x++) {
            float luma = ycc[0]->row[y][x] + 128.0f;
            float cb = ycc[1]->row[y][x], cr = ycc[2]->row[y][x];
            Pixel *p = &PIX(img, x, y);
            p->r = to_byte(luma + 1.403f * cr);
            p->g = to_byte(luma - 0.344f * cb - 0.714f * cr);
            p->b = to_byte(luma + 1.773f * cb);
        }
}

static double psnr(const Image *a, const Image *b)
{
    long long err = 0;
    /* OMP: parallel for reduction(+:err) */
    for (int y = 0; y < a->height; y++)
        for (int x = 0; x < a->width; x++) {
            Pixel p = PIX(a, x, y), q = PIX(b, x, y);
            err += (p.r - q.r) * (p.r - q.r) + (p.g - q.g) * (p.g - q.g)
                 + (p.b - q.b) * (p.b - q.b);
        }
    double mse = (double)err / (3.0 * a->width * a->height);
    return mse > 0 ? 10.0 * log10(255.0 * 255.0 / mse) : 99.0;
}

int main(int argc, char *argv[])
{
    int width   = argc > 1 ? atoi(argv[1]) : 3200;
    int height  = argc > 2 ? atoi(argv[2]) : 2400;
    int quality = argc > 3 ? atoi(argv[3]) : 75;
    if (width < 8 || height < 8 || width % 8 || height % 8 || quality < 1 || quality > 99) {
        fprintf(stderr, "usage: %s [width [height [quality]]]\n", argv[0]);
        return 1;
    }

    Image *scene = make_image(width, height), *photo = make_image(width, height);
    Image *jpeg = make_image(width, height);
    uint8_t *raw = checked_alloc((size_t)width * height);
    Plane *ycc[3];
    long kept = 0;
    for (int k = 0; k < 8; k++)
        for (int n = 0; n < 8; n++)
            basis[k][n] = (float)((k ? 0.5 : sqrt(0.125)) * cos((2 * n + 1) * k * M_PI / 16));
    render_scene(scene);
    expose(scene, raw);
    demosaic(raw, photo);
    printf("demosaic  PSNR %.4f dB\n", psnr(scene, photo));
    white_balance(photo, scene);
    printf("balanced  PSNR %.4f dB\n", psnr(scene, photo));
    for (int c = 0; c < 3; c++)
        ycc[c] = make_plane(width, height);
    to_ycc(photo, ycc);
    for (int c = 0; c < 3; c++)
        kept += compress_plane(ycc[c], quality, c > 0);
    from_ycc(ycc, jpeg);
    printf("quality %d: kept %ld of %ld coefficients\n", quality, kept, 3L * width * height);
    printf("codec     PSNR %.4f dB\n", psnr(photo, jpeg));
    printf("total     PSNR %.4f dB\n", psnr(scene, jpeg));
    for (int c = 0; c < 3; c++)
        free(ycc[c]->row[0]), free(ycc[c]->row), free(ycc[c]);
    free(raw), free(scene), free(photo), free(jpeg);
    return 0;
}

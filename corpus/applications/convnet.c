/*
 * Tiny CNN inference engine (NCHW, float).
 *
 *   convnet [batch] [number of batches] [image size, multiple of 8]
 *
 * The network is a table of layers, each with a forward() callback; the
 * weights are fixed pseudo-random numbers because only the speed of the
 * inference is of interest on the target board.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLASSES 10

struct tensor {
    int n, c, h, w;
    float *data;
};

struct layer;
typedef void (*forward_fn)(const struct layer *l, const struct tensor *in, struct tensor *out);

struct layer {
    const char *name;
    forward_fn forward;
    int in_ch, out_ch;
    float *weight;
    float *bias;
    struct tensor out;
};

static uint32_t lcg = 1u;

static float frand(float scale)
{
    lcg = lcg * 1664525u + 1013904223u;
    return scale * ((float)(lcg >> 9) / 4194304.0f - 1.0f);
}

static void tensor_alloc(struct tensor *t, int n, int c, int h, int w)
{
    t->n = n;
    t->c = c;
    t->h = h;
    t->w = w;
    t->data = calloc((size_t)n * c * h * w, sizeof(float));
    if (t->data == NULL) {
        perror("tensor_alloc");
        exit(EXIT_FAILURE);
    }
}

/* first element of plane (n, c) */
static inline float *plane(const struct tensor *t, int n, int c)
{
    return t->data + ((size_t)n * t->c + c) * t->h * t->w;
}

static inline size_t volume(const struct tensor *t)
{
    return (size_t)t->n * t->c * t->h * t->w;
}

/* ------------------------------------------------------------- layers -- */

/* acc += in (*) k, zero padding, same size */
static void conv3x3_plane(const float *restrict in, const float *k,
                          float *restrict acc, int h, int w)
{
    for (int y = 0; y < h; y++) {
        for (int ky = -1; ky <= 1; ky++) {
            if (y + ky < 0 || y + ky >= h)
                continue;
            const float *src = in + (y + ky) * w;
            const float *kr = k + (ky + 1) * 3;
            float *dst = acc + y * w;

            dst[0] += kr[1] * src[0] + kr[2] * src[1];
            for (int x = 1; x < w - 1; x++)
                dst[x] += kr[0] * src[x - 1] + kr[1] * src[x] + kr[2] * src[x + 1];
            dst[w - 1] += kr[0] * src[w - 2] + kr[1] * src[w - 1];
        }
    }
}

static void conv_forward(const struct layer *l, const struct tensor *in, struct tensor *out)
{
    const int hw = out->h * out->w;

    /* OMP: parallel for collapse(2) schedule(static) */
    for (int n = 0; n < in->n; n++) {
        for (int o = 0; o < l->out_ch; o++) {
            float *dst = plane(out, n, o);
            for (int i = 0; i < hw; i++)
                dst[i] = l->bias[o];
            for (int c = 0; c < l->in_ch; c++)
                conv3x3_plane(plane(in, n, c), l->weight + (o * l->in_ch + c) * 9,
                              dst, in->h, in->w);
        }
    }
}

static void relu_forward(const struct layer *l, const struct tensor *in, struct tensor *out)
{
    size_t count = volume(in);
    (void)l;

    /* OMP: parallel for */
    for (size_t i = 0; i < count; i++)
        out->data[i] = in->data[i] > 0.0f ? in->data[i] : 0.0f;
}

static inline float max4(float a, float b, float c, float d)
{
    float m = a > b ? a : b;
    float n = c > d ? c : d;
    return m > n ? m : n;
}

static void pool_forward(const struct layer *l, const struct tensor *in, struct tensor *out)
{
    (void)l;
    /* OMP: parallel for */
    for (int n = 0; n < in->n; n++) {
        for (int c = 0; c < in->c; c++) {
            const float *src = plane(in, n, c);
            float *dst = plane(out, n, c);
            for (int y = 0; y < out->h; y++) {
                const float *r0 = src + 2 * y * in->w;
                const float *r1 = r0 + in->w;
                for (int x = 0; x < out->w; x++, r0 += 2, r1 += 2)
                    *dst++ = max4(r0[0], r0[1], r1[0], r1[1]);
            }
        }
    }
}

static void dense_forward(const struct layer *l, const struct tensor *in, struct tensor *out)
{
    const int len = in->c * in->h * in->w;

    /* OMP: parallel for */
    for (int n = 0; n < in->n; n++) {
        const float *x = in->data + (size_t)n * len;
        for (int o = 0; o < l->out_ch; o++) {
            const float *w = l->weight + (size_t)o * len;
            float s = l->bias[o];
            for (int i = 0; i < len; i++)
                s += w[i] * x[i];
            out->data[(size_t)n * l->out_ch + o] = s;
        }
    }
}

static void softmax_forward(const struct layer *l, const struct tensor *in, struct tensor *out)
{
    int k = in->c;
    (void)l;

    for (int n = 0; n < in->n; n++) {
        const float *x = in->data + (size_t)n * k;
        float *y = out->data + (size_t)n * k;
        float top = x[0], sum = 0.0f;
        for (int i = 1; i < k; i++)
            if (x[i] > top)
                top = x[i];
        for (int i = 0; i < k; i++)
            sum += y[i] = expf(x[i] - top);
        for (int i = 0; i < k; i++)
            y[i] /= sum;
    }
}

/* ------------------------------------------------------------ network -- */

/* append a layer behind `prev` and allocate everything it needs */
static struct tensor *add_layer(struct layer *l, const char *name, forward_fn fn,
                                const struct tensor *prev, int out_ch)
{
    size_t nw = 0;

    l->name = name;
    l->forward = fn;
    l->in_ch = prev->c;
    l->out_ch = out_ch ? out_ch : prev->c;
    l->weight = l->bias = NULL;
    if (fn == pool_forward) {
        tensor_alloc(&l->out, prev->n, prev->c, prev->h / 2, prev->w / 2);
    } else if (fn == conv_forward) {
        tensor_alloc(&l->out, prev->n, out_ch, prev->h, prev->w);
        nw = (size_t)out_ch * prev->c * 9;
    } else if (fn == dense_forward) {
        tensor_alloc(&l->out, prev->n, out_ch, 1, 1);
        nw = (size_t)out_ch * prev->c * prev->h * prev->w;
    } else {
        tensor_alloc(&l->out, prev->n, prev->c, prev->h, prev->w);
    }
    if (nw) {
        float scale = sqrtf(6.0f * out_ch / (float)nw);
        l->weight = malloc(nw * sizeof(float));
        l->bias = malloc((size_t)out_ch * sizeof(float));
        if (!l->weight || !l->bias) {
            perror("add_layer");
            exit(EXIT_FAILURE);
        }
        for (size_t i = 0; i < nw; i++)
            l->weight[i] = frand(scale);
        for (int i = 0; i < out_ch; i++)
            l->bias[i] = frand(0.05f);
    }
    return &l->out;
}

/* oriented stripes, blobs and noise */
static void draw_image(float *pix, int size, int label)
{
    float ang = (float)label * 0.314159f, freq = 0.3f + 0.05f * (float)(label % 4);
    float dx = cosf(ang) * freq, dy = sinf(ang) * freq, ph = frand(3.0f);

    for (int ch = 0; ch < 3; ch++)
        for (int y = 0; y < size; y++)
            for (int x = 0; x < size; x++)
                *pix++ = sinf(dx * (float)x + dy * (float)y + ph + (float)ch) + frand(0.3f);
}

int main(int argc, char **argv)
{
    int batch = argc > 1 ? atoi(argv[1]) : 64;
    int rounds = argc > 2 ? atoi(argv[2]) : 10;
    int size = argc > 3 ? atoi(argv[3]) : 32;
    if (batch < 1 || rounds < 1 || size < 8 || size % 8) {
        fprintf(stderr, "usage: %s [batch] [rounds] [size]\n", argv[0]);
        return EXIT_FAILURE;
    }

    struct tensor images;
    struct layer net[16];
    struct tensor *t = &images;
    int depth = 0;

    tensor_alloc(&images, batch, 3, size, size);
    t = add_layer(&net[depth++], "conv1", conv_forward, t, 16);
    t = add_layer(&net[depth++], "relu1", relu_forward, t, 0);
    t = add_layer(&net[depth++], "pool1", pool_forward, t, 0);
    t = add_layer(&net[depth++], "conv2", conv_forward, t, 32);
    t = add_layer(&net[depth++], "relu2", relu_forward, t, 0);
    t = add_layer(&net[depth++], "pool2", pool_forward, t, 0);
    t = add_layer(&net[depth++], "conv3", conv_forward, t, 64);
    t = add_layer(&net[depth++], "relu3", relu_forward, t, 0);
    t = add_layer(&net[depth++], "pool3", pool_forward, t, 0);
    t = add_layer(&net[depth++], "dense1", dense_forward, t, 96);
    t = add_layer(&net[depth++], "relu4", relu_forward, t, 0);
    t = add_layer(&net[depth++], "dense2", dense_forward, t, CLASSES);
    t = add_layer(&net[depth++], "softmax", softmax_forward, t, 0);

    int votes[CLASSES] = { 0 };
    double confidence = 0.0, entropy = 0.0, act[16] = { 0.0 };

    for (int r = 0; r < rounds; r++) {
        for (int n = 0; n < batch; n++)
            draw_image(plane(&images, n, 0), size, (r * batch + n) % CLASSES);

        const struct tensor *cur = &images;
        for (int i = 0; i < depth; i++) {
            net[i].forward(&net[i], cur, &net[i].out);
            cur = &net[i].out;
        }

        for (int n = 0; n < batch; n++) {
            const float *p = cur->data + n * CLASSES;
            int best = 0;
            for (int k = 0; k < CLASSES; k++) {
                if (p[k] > p[best])
                    best = k;
                if (p[k] > 1e-20f)
                    entropy -= p[k] * log(p[k]);
            }
            votes[best]++;
            confidence += p[best];
        }
        for (int i = 0; i < depth; i++)
            for (size_t k = 0; k < volume(&net[i].out); k += 1009)
                act[i] += net[i].out.data[k];
    }

    printf("images %d  confidence %.5e  entropy %.5e\n", batch * rounds,
           confidence / (batch * rounds), entropy / (batch * rounds));
    printf("votes");
    for (int k = 0; k < CLASSES; k++)
        printf(" %d", votes[k]);
    printf("\n");
    for (int i = 0; i < depth; i++)
        printf("%-8s %dx%dx%d  %.4e\n", net[i].name, net[i].out.c, net[i].out.h,
               net[i].out.w, act[i]);

    return 0;
}

/* qnet.c - int8 CNN inference, NHWC, all parameters in one blob. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum op { OP_CONV, OP_DWCONV, OP_AVGPOOL, OP_FC, OP_COUNT };

struct layer {
    uint8_t  op, k, stride, relu;
    uint16_t in_c, out_c;
    uint32_t w_off, b_off;     /* into blob; weights are int8, bias is int32 */
    int32_t  mult;
    int8_t   shift;
    int8_t   zp_in, zp_out;
};

struct tensor { int h, w, c; int8_t *data; };

struct net {
    struct layer layers[12];
    int      n_layers;
    uint8_t *blob;
    size_t   blob_len;
    int8_t  *arena[2];
};

#define ARENA_BYTES (96 * 96 * 32)

static inline int8_t requant(int32_t acc, const struct layer *L)
{
    int64_t v = ((int64_t)acc * L->mult + ((int64_t)1 << (L->shift - 1))) >> L->shift;
    v += L->zp_out;
    if (L->relu && v < L->zp_out) v = L->zp_out;
    return (int8_t)(v < -128 ? -128 : v > 127 ? 127 : v);
}

static void conv2d(const struct net *n, const struct layer *L, const struct tensor *in, struct tensor *out)
{
    const int8_t *wt = (const int8_t *)n->blob + L->w_off;
    const int32_t *bias = (const int32_t *)(const void *)(n->blob + L->b_off);
    const int pad = L->k / 2;
    out->h = (in->h + L->stride - 1) / L->stride;
    out->w = (in->w + L->stride - 1) / L->stride;
    out->c = L->out_c;
    /* OMP: parallel for schedule(static) */
    for (int oy = 0; oy < out->h; oy++)
        for (int ox = 0; ox < out->w; ox++) {
            int8_t *dst = out->data + ((size_t)oy * out->w + ox) * out->c;
            for (int oc = 0; oc < L->out_c; oc++) {
                int32_t acc = bias[oc];
                const int8_t *w = wt + (size_t)oc * L->k * L->k * L->in_c;
                for (int ky = 0; ky < L->k; ky++) {
                    int iy = oy * L->stride + ky - pad;
                    for (int kx = 0; kx < L->k; kx++, w += L->in_c) {
                        int ix = ox * L->stride + kx - pad;
                        if (iy < 0 || ix < 0 || iy >= in->h || ix >= in->w) continue;
                        const int8_t *s = in->data + ((size_t)iy * in->w + ix) * in->c;
                        for (int ic = 0; ic < L->in_c; ic++)
                            acc += (s[ic] - L->zp_in) * w[ic];
                    }
                }
                dst[oc] = requant(acc, L);
            }
        }
}

static void dwconv(const struct net *n, const struct layer *L, const struct tensor *in, struct tensor *out)
{
    const int8_t *wt = (const int8_t *)n->blob + L->w_off;
    const int32_t *bias = (const int32_t *)(const void *)(n->blob + L->b_off);
    const int pad = L->k / 2;
    out->h = (in->h + L->stride - 1) / L->stride;
    out->w = (in->w + L->stride - 1) / L->stride;
    out->c = in->c;
    /* OMP: parallel for schedule(static) */
    for (int oy = 0; oy < out->h; oy++) {
        int32_t acc[128];
        for (int ox = 0; ox < out->w; ox++) {
            memcpy(acc, bias, sizeof(int32_t) * in->c);
            for (int ky = 0; ky < L->k; ky++)
                for (int kx = 0; kx < L->k; kx++) {
                    int iy = oy * L->stride + ky - pad, ix = ox * L->stride + kx - pad;
                    if (iy < 0 || ix < 0 || iy >= in->h || ix >= in->w) continue;
                    const int8_t *s = in->data + ((size_t)iy * in->w + ix) * in->c;
                    const int8_t *w = wt + (size_t)(ky * L->k + kx) * in->c;
                    for (int c = 0; c < in->c; c++)
                        acc[c] += (s[c] - L->zp_in) * w[c];
                }
            for (int c = 0; c < in->c; c++)
                out->data[((size_t)oy * out->w + ox) * out->c + c] = requant(acc[c], L);
        }
    }
}

static void avgpool(const struct net *n, const struct layer *L, const struct tensor *in, struct tensor *out)
{
    (void)n; (void)L;
    const int area = in->h * in->w;
    out->h = out->w = 1;
    out->c = in->c;
    for (int c = 0; c < in->c; c++) {
        int32_t s = 0;
        for (int i = 0; i < area; i++) s += in->data[(size_t)i * in->c + c];
        out->data[c] = (int8_t)((s + (s < 0 ? -area / 2 : area / 2)) / area);
    }
}

static void fully(const struct net *n, const struct layer *L, const struct tensor *in, struct tensor *out)
{
    const int8_t *w = (const int8_t *)n->blob + L->w_off;
    const int32_t *b = (const int32_t *)(const void *)(n->blob + L->b_off);
    out->h = out->w = 1;
    out->c = L->out_c;
    for (int o = 0; o < L->out_c; o++) {
        int32_t acc = *b++;
        for (int i = 0; i < L->in_c; i++) acc += (in->data[i] - L->zp_in) * *w++;
        out->data[o] = requant(acc, L);
    }
}

typedef void (*kernel_fn)(const struct net *, const struct layer *, const struct tensor *, struct tensor *);
static const kernel_fn kernels[OP_COUNT] = { conv2d, dwconv, avgpool, fully };

static void run_net(const struct net *n, const int8_t *image, int h, int w, int8_t *logits)
{
    struct tensor a = { h, w, 3, n->arena[0] }, b = { 0, 0, 0, n->arena[1] };
    memcpy(a.data, image, (size_t)h * w * 3);
    for (int i = 0; i < n->n_layers; i++) {
        kernels[n->layers[i].op](n, &n->layers[i], &a, &b);
        struct tensor t = a;
        a = b;
        b = t;
    }
    memcpy(logits, a.data, (size_t)a.c);
}

static void add_layer(struct net *n, int op, int k, int stride, int in_c, int out_c, int relu)
{
    struct layer *L = &n->layers[n->n_layers++];
    memset(L, 0, sizeof *L);
    L->op = (uint8_t)op; L->k = (uint8_t)k; L->stride = (uint8_t)stride; L->relu = (uint8_t)relu;
    L->in_c = (uint16_t)in_c; L->out_c = (uint16_t)out_c;
    if (op == OP_AVGPOOL) return;
    size_t per = op == OP_DWCONV ? (size_t)k * k : (size_t)k * k * in_c;
    L->b_off = (uint32_t)n->blob_len;
    L->w_off = L->b_off + 4u * (uint32_t)out_c;
    n->blob_len = (L->w_off + per * out_c + 3) & ~(size_t)3;
    L->mult = (int32_t)(1500000.0 / sqrt((double)per));
    L->shift = 26;
    L->zp_in = n->n_layers == 1 ? 0 : -10;
    L->zp_out = -10;
}

static int load_blob(struct net *n)
{
    uint32_t s = 2463534242u;
    n->blob = calloc(n->blob_len, 1);
    if (!n->blob) return -1;
    for (int i = 0; i < n->n_layers; i++) {
        const struct layer *L = &n->layers[i];
        if (L->op == OP_AVGPOOL) continue;
        size_t end = i + 1 < n->n_layers && n->layers[i + 1].b_off ? n->layers[i + 1].b_off : n->blob_len;
        for (size_t k = L->w_off; k < end; k++) {
            s ^= s << 13; s ^= s >> 17; s ^= s << 5;
            n->blob[k] = (uint8_t)(s >> 11);
        }
        for (int o = 0; o < L->out_c; o++) {
            int32_t b = (int32_t)(s >> 20) + o * 13 - 2000;
            memcpy(n->blob + L->b_off + 4 * o, &b, 4);
        }
    }
    return 0;
}

int main(void)
{
    enum { H = 96, W = 96, FRAMES = 55 };
    static struct net net;
    static int8_t img[H * W * 3];
    int votes[10] = { 0 };
    long sum = 0;
    add_layer(&net, OP_CONV, 3, 2, 3, 16, 1);
    add_layer(&net, OP_DWCONV, 3, 1, 16, 16, 1);
    add_layer(&net, OP_CONV, 1, 1, 16, 32, 1);
    add_layer(&net, OP_DWCONV, 3, 2, 32, 32, 1);
    add_layer(&net, OP_CONV, 1, 1, 32, 64, 1);
    add_layer(&net, OP_DWCONV, 3, 2, 64, 64, 1);
    add_layer(&net, OP_CONV, 1, 1, 64, 96, 1);
    add_layer(&net, OP_AVGPOOL, 0, 0, 96, 96, 0);
    add_layer(&net, OP_FC, 1, 1, 96, 10, 0);
    net.arena[0] = malloc(ARENA_BYTES);
    net.arena[1] = malloc(ARENA_BYTES);
    if (load_blob(&net) || !net.arena[0] || !net.arena[1]) return 1;
    for (int f = 0; f < FRAMES; f++) {
        int8_t logits[10];
        int best = 0;
        for (int i = 0; i < H * W * 3; i++)
            img[i] = (int8_t)((((i / 3) % W) * (f + 3) + (i / (3 * W)) * (i % 3 + 1) * 2) % 256 - 128);
        run_net(&net, img, H, W, logits);
        for (int k = 0; k < 10; k++) {
            if (logits[k] > logits[best]) best = k;
            sum = sum * 3 % 1000003 + logits[k];
        }
        votes[best]++;
    }
    printf("logit hash %ld votes", sum);
    for (int k = 0; k < 10; k++) printf(" %d", votes[k]);
    putchar('\n');
    free(net.blob); free(net.arena[0]); free(net.arena[1]);
    return 0;
}

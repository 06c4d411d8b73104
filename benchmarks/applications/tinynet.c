// tinynet.c -- small multilayer perceptron with virtual layers, SGD + dropout
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef float real;

typedef struct Tensor { real *data; int rows, cols; } Tensor;
#define T(t, r, c) ((t)->data[(size_t)(r) * (t)->cols + (c)])
#define COUNT(t)   ((size_t)(t)->rows * (size_t)(t)->cols)

typedef struct TrainOpts { real rate, momentum, decay; unsigned epochs; size_t batch; } TrainOpts;

struct Layer;
typedef struct LayerOps {
    const char *name;
    void (*forward)(struct Layer *self, const Tensor *in, int training);
    void (*backward)(struct Layer *self, const Tensor *in, Tensor *din);
    void (*update)(struct Layer *self, const TrainOpts *o);
} LayerOps;

typedef struct Layer {
    const LayerOps *ops;
    Tensor out, grad;
    union {
        struct { Tensor w, gw, mw; real *b, *gb; } dense;
        struct { real slope; } act;
        struct { uint8_t *mask; uint32_t rng; uint8_t keep; } drop;
    } u;
} Layer;

typedef struct Net { Layer *layers; size_t n; } Net;

static uint32_t gSeed = 2024u;
static real frand(void) { gSeed = gSeed * 1664525u + 1013904223u; return (real)(gSeed >> 8) / 8388608.0f - 1.0f; }

static int Tensor_init(Tensor *t, int rows, int cols)
{
    t->rows = rows;
    t->cols = cols;
    t->data = calloc(COUNT(t), sizeof(real));
    return t->data != NULL;
}

static void Dense_forward(Layer *l, const Tensor *in, int training)
{
    (void)training;
    /* OMP: parallel for schedule(static) */
    for (int r = 0; r < in->rows; r++)
        for (int o = 0; o < l->out.cols; o++) {
            real s = l->u.dense.b[o];
            for (int i = 0; i < in->cols; i++)
                s += T(&l->u.dense.w, o, i) * T(in, r, i);
            T(&l->out, r, o) = s;
        }
}

static void Dense_backward(Layer *l, const Tensor *in, Tensor *din)
{
    /* OMP: parallel for schedule(static) */
    for (int o = 0; o < l->out.cols; o++) {
        l->u.dense.gb[o] = 0;
        memset(&T(&l->u.dense.gw, o, 0), 0, in->cols * sizeof(real));
        for (int r = 0; r < in->rows; r++) {
            real g = T(&l->grad, r, o);
            if (g == 0)
                continue;
            l->u.dense.gb[o] += g;
            for (int i = 0; i < in->cols; i++)
                T(&l->u.dense.gw, o, i) += g * T(in, r, i);
        }
    }
    if (!din)
        return;
    /* OMP: parallel for schedule(static) */
    for (int r = 0; r < in->rows; r++) {
        memset(&T(din, r, 0), 0, din->cols * sizeof(real));
        for (int o = 0; o < l->out.cols; o++) {
            real g = T(&l->grad, r, o);
            for (int i = 0; i < din->cols; i++)
                T(din, r, i) += g * T(&l->u.dense.w, o, i);
        }
    }
}

static void Dense_update(Layer *l, const TrainOpts *o)
{
    Tensor *w = &l->u.dense.w, *m = &l->u.dense.mw;
    for (size_t k = 0; k < COUNT(w); k++) {
        m->data[k] = o->momentum * m->data[k] - o->rate * (l->u.dense.gw.data[k] + o->decay * w->data[k]);
        w->data[k] += m->data[k];
    }
    for (int k = 0; k < w->rows; k++)
        l->u.dense.b[k] -= o->rate * l->u.dense.gb[k];
}

static void Relu_forward(Layer *l, const Tensor *in, int training)
{
    (void)training;
    for (size_t k = 0; k < COUNT(in); k++)
        l->out.data[k] = in->data[k] > 0 ? in->data[k] : l->u.act.slope * in->data[k];
}

static void Relu_backward(Layer *l, const Tensor *in, Tensor *din)
{
    for (size_t k = 0; k < COUNT(in); k++)
        din->data[k] = l->grad.data[k] * (in->data[k] > 0 ? 1.0f : l->u.act.slope);
}

static void Drop_forward(Layer *l, const Tensor *in, int training)
{
    real scale = 256.0f / l->u.drop.keep;
    for (size_t k = 0; k < COUNT(in); k++) {
        if (training) {
            l->u.drop.rng = l->u.drop.rng * 1664525u + 1013904223u;
            l->u.drop.mask[k] = (l->u.drop.rng >> 24) < l->u.drop.keep;
        }
        l->out.data[k] = !training ? in->data[k] : l->u.drop.mask[k] ? in->data[k] * scale : 0;
    }
}

static void Drop_backward(Layer *l, const Tensor *in, Tensor *din)
{
    real scale = 256.0f / l->u.drop.keep;
    for (size_t k = 0; k < COUNT(in); k++)
        din->data[k] = l->u.drop.mask[k] ? l->grad.data[k] * scale : 0;
}

static void No_update(Layer *l, const TrainOpts *o) { (void)l; (void)o; }

static const LayerOps kDense = { "dense", Dense_forward, Dense_backward, Dense_update };
static const LayerOps kRelu  = { "relu", Relu_forward, Relu_backward, No_update };
static const LayerOps kDrop  = { "dropout", Drop_forward, Drop_backward, No_update };

static int Layer_init(Layer *l, const LayerOps *ops, int batch, int in, int out)
{
    l->ops = ops;
    int ok = Tensor_init(&l->out, batch, out) && Tensor_init(&l->grad, batch, out);
    if (ops == &kDense) {
        ok = ok && Tensor_init(&l->u.dense.w, out, in) && Tensor_init(&l->u.dense.gw, out, in) &&
             Tensor_init(&l->u.dense.mw, out, in);
        l->u.dense.b = calloc(out, sizeof(real));
        l->u.dense.gb = calloc(out, sizeof(real));
        for (size_t k = 0; ok && k < COUNT(&l->u.dense.w); k++)
            l->u.dense.w.data[k] = frand() * sqrtf(6.0f / (in + out));
    } else if (ops == &kDrop) {
        l->u.drop.keep = 224;
        l->u.drop.rng = 5u;
        l->u.drop.mask = calloc((size_t)batch * out, 1);
    } else {
        l->u.act.slope = 0.01f;
    }
    return ok;
}

static real softmax_loss(const Tensor *logits, Tensor *grad, const uint8_t *labels, unsigned *hits)
{
    real loss = 0;
    for (int r = 0; r < logits->rows; r++) {
        int best = 0;
        real sum = 0;
        for (int c = 1; c < logits->cols; c++)
            if (T(logits, r, c) > T(logits, r, best)) best = c;
        for (int c = 0; c < logits->cols; c++)
            sum += T(grad, r, c) = expf(T(logits, r, c) - T(logits, r, best));
        for (int c = 0; c < logits->cols; c++)
            T(grad, r, c) = (T(grad, r, c) / sum - (c == labels[r])) / logits->rows;
        loss -= logf(1e-9f + T(grad, r, labels[r]) * logits->rows + 1.0f);
        *hits += best == labels[r];
    }
    return loss / logits->rows;
}

static void make_batch(Tensor *x, uint8_t *y, unsigned no)
{
    for (int r = 0; r < x->rows; r++) {
        y[r] = (uint8_t)((no * 7 + r * 3) % 10);
        for (int i = 0; i < x->cols; i++)
            T(x, r, i) = ((i * (y[r] + 3)) % 17 < 5 ? 0.8f : 0.0f) + 0.9f * frand();
    }
}

int main(void)
{
    enum { BATCH = 64, IN = 196, HID = 160, OUT = 10 };
    static const struct { const LayerOps *ops; int in, out; } plan[] = {
        { &kDense, IN, HID }, { &kRelu, HID, HID }, { &kDrop, HID, HID },
        { &kDense, HID, 64 }, { &kRelu, 64, 64 }, { &kDense, 64, OUT } };
    const TrainOpts opt = { .rate = 0.02f, .momentum = 0.9f, .decay = 1e-4f, .batch = BATCH };
    static Net net = { .n = sizeof plan / sizeof plan[0] };
    static Tensor x;
    uint8_t labels[BATCH];
    unsigned hits = 0;
    real loss = 0;

    net.layers = calloc(net.n, sizeof *net.layers);
    if (!net.layers || !Tensor_init(&x, BATCH, IN)) return 1;
    for (size_t i = 0; i < net.n; i++)
        if (!Layer_init(&net.layers[i], plan[i].ops, BATCH, plan[i].in, plan[i].out)) return 1;
    for (unsigned b = 0; b < 55; b++) {
        make_batch(&x, labels, b);
        for (size_t i = 0; i < net.n; i++)
            net.layers[i].ops->forward(&net.layers[i], i ? &net.layers[i - 1].out : &x, 1);
        Layer *top = &net.layers[net.n - 1];
        if (b % 10 == 0) hits = 0;
        loss = softmax_loss(&top->out, &top->grad, labels, &hits);
        for (size_t i = net.n; i-- > 0;) {
            Layer *l = &net.layers[i];
            l->ops->backward(l, i ? &net.layers[i - 1].out : &x, i ? &net.layers[i - 1].grad : NULL);
        }
        for (size_t i = 0; i < net.n; i++) net.layers[i].ops->update(&net.layers[i], &opt);
        if (b % 18 == 0) printf("batch %u loss %.4f\n", b, loss);
    }
    double wsum = 0;
    for (size_t k = 0; k < COUNT(&net.layers[0].u.dense.w); k++) wsum += fabsf(net.layers[0].u.dense.w.data[k]);
    printf("loss %.4f hits %u wsum %.3f\n", loss, hits, wsum);
    return 0;
}

/* digits_mlp.c: multilayer perceptron on synthetic seven-segment-like glyphs.
   Plain minibatch SGD with momentum. The layers live in one array. */

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef double (*activation_fn)(double);

typedef enum activation_kind { ACT_LINEAR, ACT_RELU, ACT_TANH, ACT_COUNT } activation_kind;

typedef struct activation {
  const char *name;
  activation_fn apply;
  activation_fn slope_from_output;
} activation;

typedef struct layer {
  size_t n_in, n_out;
  activation_kind act;
  struct { double *w, *b; } param;      /* w is n_out x n_in */
  struct { double *w, *b; } velocity;
  struct { double *w, *b; } grad;
  double *out;                          /* batch x n_out */
  double *delta;                        /* batch x n_out */
} layer;

typedef struct network {
  size_t n_layers;
  layer *layers;
  size_t max_batch;
} network;

typedef struct sample_set {
  size_t n, dim;
  double *x;
  unsigned char *label;
} sample_set;

typedef struct train_config {
  size_t batch, epochs;
  double rate, momentum, decay;
} train_config;

static double linear(double x) { return x; }
static double one(double y) { (void)y; return 1.0; }
static double relu(double x) { return x > 0 ? x : 0.01 * x; }
static double relu_slope(double y) { return y > 0 ? 1.0 : 0.01; }
static double fast_tanh(double x) {
  double x2 = x * x;
  if (x > 4.9) return 1.0;
  if (x < -4.9) return -1.0;
  return x * (135135.0 + x2 * (17325.0 + x2 * (378.0 + x2)))
       / (135135.0 + x2 * (62370.0 + x2 * (3150.0 + 28.0 * x2)));
}
static double tanh_slope(double y) { return 1.0 - y * y; }

static const activation activations[ACT_COUNT] = {
  [ACT_LINEAR] = { "linear", linear, one },
  [ACT_RELU]   = { "leaky-relu", relu, relu_slope },
  [ACT_TANH]   = { "tanh", fast_tanh, tanh_slope },
};

static unsigned long long rng_state = 88172645463325252ull;
static double uniform(void) {
  rng_state ^= rng_state << 13;
  rng_state ^= rng_state >> 7;
  rng_state ^= rng_state << 17;
  return (double)(rng_state >> 40) * (1.0 / 16777216.0);
}

static double *new_reals(size_t n) {
  double *p = calloc(n, sizeof *p);
  assert(p);
  return p;
}

static void layer_init(layer *l, size_t n_in, size_t n_out, activation_kind act, size_t batch) {
  l->n_in = n_in;
  l->n_out = n_out;
  l->act = act;
  l->param.w = new_reals(n_in * n_out);    l->param.b = new_reals(n_out);
  l->velocity.w = new_reals(n_in * n_out); l->velocity.b = new_reals(n_out);
  l->grad.w = new_reals(n_in * n_out);     l->grad.b = new_reals(n_out);
  l->out = new_reals(batch * n_out);
  l->delta = new_reals(batch * n_out);
  double s = sqrt(2.0 / (double)n_in);
  for (size_t i = 0; i < n_in * n_out; ++i)
    l->param.w[i] = s * (2.0 * uniform() - 1.0);
}

static void layer_destroy(layer *l) {
  free(l->param.w); free(l->param.b); free(l->velocity.w); free(l->velocity.b);
  free(l->grad.w);  free(l->grad.b);  free(l->out);        free(l->delta);
}

static inline double dot_n(const double *restrict a, const double *restrict b, size_t n) {
  double acc[8] = { 0 };
  size_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (int k = 0; k < 8; ++k) acc[k] += a[i + k] * b[i + k];
  double s = ((acc[0] + acc[4]) + (acc[1] + acc[5])) + ((acc[2] + acc[6]) + (acc[3] + acc[7]));
  for (; i < n; ++i) s += a[i] * b[i];
  return s;
}

static void layer_forward(layer *l, const double *in, size_t batch) {
  const activation *a = &activations[l->act];
  /* OMP: parallel for schedule(static) if (l->n_in * l->n_out > 2000) */
  for (size_t s = 0; s < batch; ++s) {
    for (size_t o = 0; o < l->n_out; ++o) {
      double z = l->param.b[o] + dot_n(l->param.w + o * l->n_in, in + s * l->n_in, l->n_in);
      l->out[s * l->n_out + o] = a->apply(z);
    }
  }
}

static const double *network_forward(network *net, const double *x, size_t batch) {
  for (size_t k = 0; k < net->n_layers; ++k) {
    layer_forward(&net->layers[k], x, batch);
    x = net->layers[k].out;
  }
  return x;
}

/* Softmax cross entropy; fills the delta of the last layer, returns summed loss. */
static double output_delta(layer *l, const unsigned char *label, size_t batch) {
  double loss = 0;
  for (size_t s = 0; s < batch; ++s) {
    const double *y = l->out + s * l->n_out;
    double *d = l->delta + s * l->n_out;
    double top = y[0], sum = 0;
    for (size_t o = 1; o < l->n_out; ++o) if (y[o] > top) top = y[o];
    for (size_t o = 0; o < l->n_out; ++o) sum += d[o] = exp(y[o] - top);
    for (size_t o = 0; o < l->n_out; ++o) d[o] /= sum;
    loss -= log(d[label[s]] + 1e-12);
    d[label[s]] -= 1.0;
  }
  return loss;
}

static void layer_gradient(layer *l, const double *in, size_t batch) {
  /* OMP: parallel for schedule(static) if (l->n_in * l->n_out > 2000) */
  for (size_t o = 0; o < l->n_out; ++o) {
    double *g = l->grad.w + o * l->n_in;
    memset(g, 0, l->n_in * sizeof *g);
    l->grad.b[o] = 0;
    for (size_t s = 0; s < batch; ++s) {
      double d = l->delta[s * l->n_out + o];
      const double *x = in + s * l->n_in;
      l->grad.b[o] += d;
      for (size_t i = 0; i < l->n_in; ++i) g[i] += d * x[i];
    }
  }
}

static void layer_backward(const layer *l, layer *below, size_t batch) {
  activation_fn slope = activations[below->act].slope_from_output;
  /* OMP: parallel for schedule(static) if (l->n_in * l->n_out > 2000) */
  for (size_t s = 0; s < batch; ++s) {
    double *d = below->delta + s * below->n_out;
    memset(d, 0, below->n_out * sizeof *d);
    for (size_t o = 0; o < l->n_out; ++o) {
      const double e = l->delta[s * l->n_out + o], *w = l->param.w + o * l->n_in;
      for (size_t i = 0; i < l->n_in; ++i) d[i] += e * w[i];
    }
    for (size_t i = 0; i < below->n_out; ++i) d[i] *= slope(below->out[s * below->n_out + i]);
  }
}

static void sgd_step(double *p, double *v, const double *g, size_t n, const train_config *cfg, size_t batch) {
  double k = cfg->rate / (double)batch;
  /* OMP: parallel for simd schedule(static) if (n > 10000) */
  for (size_t i = 0; i < n; ++i) {
    v[i] = cfg->momentum * v[i] - k * g[i] - cfg->rate * cfg->decay * p[i];
    p[i] += v[i];
  }
}

static double train_batch(network *net, const double *x, const unsigned char *label, size_t batch,
                          const train_config *cfg) {
  network_forward(net, x, batch);
  size_t k = net->n_layers;
  double loss = output_delta(&net->layers[k - 1], label, batch);
  while (k-- > 0) {
    layer *l = &net->layers[k];
    layer_gradient(l, k ? net->layers[k - 1].out : x, batch);
    if (k) layer_backward(l, &net->layers[k - 1], batch);
    sgd_step(l->param.w, l->velocity.w, l->grad.w, l->n_in * l->n_out, cfg, batch);
    sgd_step(l->param.b, l->velocity.b, l->grad.b, l->n_out, cfg, batch);
  }
  return loss;
}

static void make_samples(sample_set *set, size_t n, size_t side) {
  static const unsigned char segs[10] = { 0x77, 0x24, 0x5d, 0x6d, 0x2e, 0x6b, 0x7b, 0x25, 0x7f, 0x6f };
  set->n = n;
  set->dim = side * side;
  set->x = new_reals(n * set->dim);
  set->label = calloc(n, 1);
  assert(set->label);
  for (size_t s = 0; s < n; ++s) {
    int c = (int)(uniform() * 9.999), jx = (int)(uniform() * 3), jy = (int)(uniform() * 3);
    double *img = set->x + s * set->dim;
    set->label[s] = (unsigned char)c;
    for (size_t i = 0; i < set->dim; ++i) {
      int y = (int)(i / side) - jy, x = (int)(i % side) - jx, m = (int)side - 4, h = m / 2;
      bool on = (segs[c] & 1 && y == 1) || (segs[c] & 8 && y == h) || (segs[c] & 64 && y == m)
             || (segs[c] & 2 && x == 1 && y <= h) || (segs[c] & 4 && x == h + 1 && y <= h)
             || (segs[c] & 16 && x == 1 && y > h) || (segs[c] & 32 && x == h + 1 && y > h);
      img[i] = 0.35 * uniform();
      if (on && uniform() > 0.12) img[i] += 1.0;
    }
  }
}

static double accuracy(network *net, const sample_set *set) {
  size_t right = 0, n_out = net->layers[net->n_layers - 1].n_out;
  for (size_t first = 0; first < set->n; first += net->max_batch) {
    size_t n = set->n - first < net->max_batch ? set->n - first : net->max_batch;
    const double *y = network_forward(net, set->x + first * set->dim, n);
    for (size_t s = 0; s < n; ++s) {
      size_t best = 0;
      for (size_t o = 1; o < n_out; ++o) if (y[s * n_out + o] > y[s * n_out + best]) best = o;
      right += best == set->label[first + s];
    }
  }
  return (double)right / (double)set->n;
}

int main(void) {
  const train_config cfg = { .batch = 64, .epochs = 4, .rate = 0.05, .momentum = 0.9, .decay = 1e-5 };
  const size_t widths[] = { 256, 128, 64, 10 };
  const activation_kind kinds[] = { ACT_TANH, ACT_RELU, ACT_LINEAR };
  layer layers[3];
  network net = { 3, layers, cfg.batch };
  sample_set train, test;

  for (size_t k = 0; k < net.n_layers; ++k)
    layer_init(&layers[k], widths[k], widths[k + 1], kinds[k], cfg.batch);
  make_samples(&train, 1920, 16);
  make_samples(&test, 1000, 16);
  for (size_t e = 0; e < cfg.epochs; ++e) {
    double loss = 0;
    for (size_t first = 0; first + cfg.batch <= train.n; first += cfg.batch)
      loss += train_batch(&net, train.x + first * train.dim, train.label + first, cfg.batch, &cfg);
    printf("epoch %zu loss %.6g\n", e, loss / (double)train.n);
  }
  printf("train accuracy %.4g\n", accuracy(&net, &train));
  printf("test accuracy %.4g\n", accuracy(&net, &test));
  for (size_t k = 0; k < net.n_layers; ++k) {
    double n2 = 0;
    for (size_t i = 0; i < layers[k].n_in * layers[k].n_out; ++i)
      n2 += (double)layers[k].param.w[i] * layers[k].param.w[i];
    printf("layer %zu (%s) |w| = %.6g\n", k, activations[kinds[k]].name, sqrt(n2));
    layer_destroy(&layers[k]);
  }
  free(train.x); free(train.label); free(test.x); free(test.label);
  return 0;
}

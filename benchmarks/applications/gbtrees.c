/* gbtrees: histogram-based gradient boosted trees for binned tabular data.
   Column-major bins for training, row-major raw values for scoring. */
#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BINS = 64, MAX_FEATURES = 24 };

typedef struct {
  int n_trees, max_depth, n_bins;
  uint32_t min_leaf;
  double eta, lambda, min_gain;
} params_t;

typedef struct {
  size_t n_rows;
  int n_features;
  float *raw;                 // n_rows x n_features
  float *target;
  struct {
    uint8_t *col[MAX_FEATURES];
    float upper[MAX_FEATURES][MAX_BINS];
  } binned;
} dataset_t;

typedef struct node {
  struct node *lo, *hi;       // both NULL in a leaf
  int feature;
  float threshold;
  double value;
  uint32_t n;
} node_t;

typedef struct {
  node_t **root;
  int n_trees;
  double base;
  struct { uint64_t splits, leaves, rows_scanned; } counters;
} model_t;

typedef struct { double loss, grad, hess; } lossval_t;
typedef lossval_t (*loss_fn)(double y, double score);

typedef struct { double gain; int bin; uint32_t n_left; } split_t;

typedef struct {
  const params_t *par;
  const dataset_t *ds;
  struct { double *g, *h; } grad;
  double *score;
  uint32_t *rows, *tmp;
  loss_fn loss;
} trainer_t;

static inline double sigmoid(double x) { return 1.0 / (1.0 + exp(-x)); }

static lossval_t logistic(double y, double s) {
  double p = sigmoid(s);
  double l = y > 0.5 ? -log(p + 1e-15) : -log(1.0 - p + 1e-15);
  return (lossval_t){l, p - y, p * (1.0 - p) + 1e-9};
}

static lossval_t squared(double y, double s) {
  return (lossval_t){0.5 * (s - y) * (s - y), s - y, 1.0};
}

static const struct { const char *name; loss_fn fn; } losses[] = {
  {"logistic", logistic}, {"squared", squared}, {NULL, NULL},
};

static inline double uniform01(uint64_t *s) {
  *s = *s * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(*s >> 11) * 0x1.0p-53;
}

static void dataset_free(dataset_t *ds) {
  free(ds->raw);
  free(ds->target);
  for (int f = 0; f < ds->n_features; f++) free(ds->binned.col[f]);
}

static bool dataset_make(dataset_t *ds, size_t n, int nf, uint64_t seed) {
  memset(ds, 0, sizeof *ds);
  ds->n_rows = n;
  ds->n_features = nf;
  if (!(ds->raw = malloc(n * (size_t)nf * sizeof *ds->raw))) return false;
  if (!(ds->target = malloc(n * sizeof *ds->target))) return false;
  for (size_t i = 0; i < n; i++) {
    float *x = ds->raw + i * (size_t)nf;
    for (int f = 0; f < nf; f++) x[f] = (float)(2.0 * uniform01(&seed) - 1.0);
    double z = 2.0 * x[0] * x[1] + sin(4.0 * x[2]) - x[3] * x[3] + 0.5 * x[4 % nf];
    ds->target[i] = uniform01(&seed) < sigmoid(2.5 * z) ? 1.0f : 0.0f;
  }
  return true;
}

// Equal-width binning between the column's minimum and maximum.
static bool dataset_bin(dataset_t *ds, int n_bins) {
  for (int f = 0; f < ds->n_features; f++) {
    const float *x = ds->raw + f;
    float lo = INFINITY, hi = -INFINITY;
    for (size_t i = 0; i < ds->n_rows; i++) {
      float v = x[i * (size_t)ds->n_features];
      lo = fminf(lo, v);
      hi = fmaxf(hi, v);
    }
    uint8_t *c = ds->binned.col[f] = malloc(ds->n_rows);
    if (!c) return false;
    for (int b = 0; b < n_bins; b++)
      ds->binned.upper[f][b] = lo + (hi - lo) * (float)(b + 1) / (float)n_bins;
    for (size_t i = 0; i < ds->n_rows; i++) {
      float v = x[i * (size_t)ds->n_features];
      int b = 0;
      while (b < n_bins - 1 && v > ds->binned.upper[f][b]) b++;
      c[i] = (uint8_t)b;
    }
  }
  return true;
}

static split_t best_split(const trainer_t *t, const uint8_t *col, const uint32_t *rows, uint32_t n,
                          double gsum, double hsum) {
  double hg[MAX_BINS] = {0}, hh[MAX_BINS] = {0};
  uint32_t cnt[MAX_BINS] = {0};
  for (uint32_t k = 0; k < n; k++) {
    uint32_t r = rows[k];
    uint8_t b = col[r];
    hg[b] += t->grad.g[r];
    hh[b] += t->grad.h[r];
    cnt[b]++;
  }
  const double lam = t->par->lambda, parent = gsum * gsum / (hsum + lam);
  split_t best = {0.0, -1, 0};
  double gl = 0.0, hl = 0.0;
  uint32_t nl = 0;
  for (int b = 0; b + 1 < t->par->n_bins; b++) {
    gl += hg[b];
    hl += hh[b];
    nl += cnt[b];
    if (nl < t->par->min_leaf) continue;
    if (n - nl < t->par->min_leaf) break;
    double gr = gsum - gl, hr = hsum - hl;
    double gain = gl * gl / (hl + lam) + gr * gr / (hr + lam) - parent;
    if (gain > best.gain) best = (split_t){gain, b, nl};
  }
  return best;
}

static node_t *grow(trainer_t *t, model_t *m, uint32_t first, uint32_t n, int depth) {
  node_t *nd = calloc(1, sizeof *nd);
  if (!nd) return NULL;
  const uint32_t *rows = t->rows + first;
  double g = 0.0, h = 0.0;
  for (uint32_t k = 0; k < n; k++) {
    g += t->grad.g[rows[k]];
    h += t->grad.h[rows[k]];
  }
  nd->n = n;
  nd->value = -t->par->eta * g / (h + t->par->lambda);
  if (depth < t->par->max_depth && n >= 2 * t->par->min_leaf) {
    const int nf = t->ds->n_features;
    split_t cand[MAX_FEATURES];
/* OMP: parallel for schedule(dynamic) if(n > 1000) */
    for (int f = 0; f < nf; f++)
      cand[f] = best_split(t, t->ds->binned.col[f], rows, n, g, h);
    m->counters.rows_scanned += (uint64_t)n * (uint64_t)nf;
    int bf = 0;
    for (int f = 1; f < nf; f++)
      if (cand[f].gain > cand[bf].gain) bf = f;
    if (cand[bf].bin >= 0 && cand[bf].gain > t->par->min_gain) {
      const uint8_t *col = t->ds->binned.col[bf];
      uint32_t *l = t->rows + first, *r = t->tmp;
      for (uint32_t k = 0; k < n; k++) {      // stable partition
        uint32_t row = rows[k];
        if (col[row] <= cand[bf].bin) *l++ = row;
        else *r++ = row;
      }
      memcpy(l, t->tmp, (size_t)(r - t->tmp) * sizeof *l);
      assert((uint32_t)(l - rows) == cand[bf].n_left);
      nd->feature = bf;
      nd->threshold = t->ds->binned.upper[bf][cand[bf].bin];
      nd->lo = grow(t, m, first, cand[bf].n_left, depth + 1);
      nd->hi = grow(t, m, first + cand[bf].n_left, n - cand[bf].n_left, depth + 1);
      m->counters.splits++;
      return nd;
    }
  }
  m->counters.leaves++;
  for (uint32_t k = 0; k < n; k++) t->score[rows[k]] += nd->value;
  return nd;
}

static void free_tree(node_t *n) {
  if (!n) return;
  free_tree(n->lo);
  free_tree(n->hi);
  free(n);
}

static double train(trainer_t *t, model_t *m) {
  const size_t n = t->ds->n_rows;
  double loss = 0.0;
  for (size_t i = 0; i < n; i++) t->score[i] = m->base;
  for (m->n_trees = 0; m->n_trees < t->par->n_trees; m->n_trees++) {
    loss = 0.0;
/* OMP: parallel for reduction(+:loss) */
    for (size_t i = 0; i < n; i++) {
      lossval_t lv = t->loss(t->ds->target[i], t->score[i]);
      loss += lv.loss;
      t->grad.g[i] = lv.grad;
      t->grad.h[i] = lv.hess;
      t->rows[i] = (uint32_t)i;
    }
    if (m->n_trees % 10 == 0) printf("tree %3d  train loss %.6g\n", m->n_trees, loss / (double)n);
    if (!(m->root[m->n_trees] = grow(t, m, 0, (uint32_t)n, 0))) break;
  }
  return loss / (double)n;
}

static double predict(const model_t *m, const float *x) {
  double s = m->base;
  for (int k = 0; k < m->n_trees; k++) {
    const node_t *nd = m->root[k];
    while (nd->lo) nd = x[nd->feature] <= nd->threshold ? nd->lo : nd->hi;
    s += nd->value;
  }
  return s;
}

int main(void) {
  const params_t par = {.n_trees = 40, .max_depth = 5, .n_bins = 48, .min_leaf = 20,
                        .eta = 0.2, .lambda = 1.0, .min_gain = 1e-3};
  dataset_t tr, te;
  model_t m = {0};
  trainer_t t = {.par = &par, .ds = &tr, .loss = losses[0].fn};
  if (!dataset_make(&tr, 16000, 14, 42) || !dataset_make(&te, 30000, 14, 4711)) return 1;
  if (!dataset_bin(&tr, par.n_bins)) return 1;
  t.grad.g = malloc(tr.n_rows * sizeof(double));
  t.grad.h = malloc(tr.n_rows * sizeof(double));
  t.score = malloc(tr.n_rows * sizeof(double));
  t.rows = malloc(tr.n_rows * sizeof(uint32_t));
  t.tmp = malloc(tr.n_rows * sizeof(uint32_t));
  m.root = calloc((size_t)par.n_trees, sizeof *m.root);
  if (!t.grad.g || !t.grad.h || !t.score || !t.rows || !t.tmp || !m.root) return 1;

  double loss = train(&t, &m), test_loss = 0.0;
  size_t hits = 0;
/* OMP: parallel for reduction(+:test_loss, hits) */
  for (size_t i = 0; i < te.n_rows; i++) {
    double s = predict(&m, te.raw + i * (size_t)te.n_features);
    test_loss += t.loss(te.target[i], s).loss;
    hits += (s > 0.0) == (te.target[i] > 0.5f);
  }
  printf("%s: train %.6g test %.6g accuracy %.4f\n", losses[0].name, loss,
         test_loss / (double)te.n_rows, (double)hits / (double)te.n_rows);
  printf("splits %llu leaves %llu scanned %llu\n", (unsigned long long)m.counters.splits,
         (unsigned long long)m.counters.leaves, (unsigned long long)m.counters.rows_scanned);
  for (int k = 0; k < m.n_trees; k++) free_tree(m.root[k]);
  free(m.root); free(t.grad.g); free(t.grad.h); free(t.score); free(t.rows); free(t.tmp);
  dataset_free(&tr); dataset_free(&te);
  return 0;
}

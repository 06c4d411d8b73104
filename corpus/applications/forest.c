// forest.c
// Randomised-trees classifier on a synthetic table.  The table is normalised
// with the statistics of the training part, the trees are grown on bootstrap
// samples, and the test part is classified; prints accuracy and confusion.
//
// forest [testRows [numTrees [trainRows]]]
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUM_FEATURES = 24, NUM_CLASSES = 5, MAX_DEPTH = 14, TRY_FEATURES = 5 };

typedef struct Tree {
  int     *feature;    // -1: leaf
  float   *threshold;
  int     *left;
  int     *right;
  float  (*share)[NUM_CLASSES];
  int      count, capacity;
  uint64_t rng;
} Tree;

typedef struct Dataset {
  int     rows;
  float **x;           // x[row][feature]
  int    *label;
} Dataset;

typedef int (*CombineFn)(const float share[NUM_CLASSES], float votes[NUM_CLASSES]);

static void *xgrow(void *old, size_t bytes) {
  void *p = realloc(old, bytes);
  if (p == NULL) {
    fprintf(stderr, "forest: out of memory (%zu bytes)\n", bytes);
    exit(EXIT_FAILURE);
  }
  return p;
}

#define xalloc(bytes) xgrow(NULL, (bytes))

static uint32_t nextRandom(uint64_t *state) {
  *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (uint32_t)(*state >> 33);
}

static float uniform(uint64_t *state) {
  return (float)(nextRandom(state) & 0xFFFFFF) / 16777216.0f;
}

static void makeDataset(Dataset *d, int rows, uint64_t seed) {
  d->rows = rows;
  d->x = xalloc((size_t)rows * sizeof *d->x);
  d->label = xalloc((size_t)rows * sizeof *d->label);
  for (int r = 0; r < rows; r++) {
    float *x = d->x[r] = xalloc(NUM_FEATURES * sizeof *x);
    int c = (int)(nextRandom(&seed) % NUM_CLASSES);
    d->label[r] = c;
    for (int f = 0; f < NUM_FEATURES; f++) {
      float noise = uniform(&seed) + uniform(&seed) + uniform(&seed) - 1.5f;
      float centre = 0.4f * (float)((c * (f + 3) + f) % 5);
      x[f] = (float)(f + 1) * (centre + 2.0f * noise) + 10.0f * (float)f;
    }
    if (nextRandom(&seed) % 50 == 0)
      x[nextRandom(&seed) % NUM_FEATURES] = NAN;   // missing value
  }
}

static void freeDataset(Dataset *d) {
  for (int r = 0; r < d->rows; r++)
    free(d->x[r]);
  free(d->x);
  free(d->label);
}

static void columnStats(const Dataset *d, int f, double *mean, double *sigma) {
  double sum = 0, sum2 = 0;
  int n = 0;
  for (int r = 0; r < d->rows; r++) {
    float v = d->x[r][f];
    if (isnan(v))
      continue;
    sum += v;
    sum2 += (double)v * v;
    n++;
  }
  *mean = n ? sum / n : 0.0;
  double var = n ? sum2 / n - *mean * *mean : 0.0;
  *sigma = var > 1e-12 ? sqrt(var) : 1.0;
}

static void standardise(Dataset *d, const double *mean, const double *sigma) {
  /* OMP: parallel for */
  for (int r = 0; r < d->rows; r++) {
    float *x = d->x[r];
    for (int f = 0; f < NUM_FEATURES; f++) {
      float z = isnan(x[f]) ? 0.0f : (float)((x[f] - mean[f]) / sigma[f]);
      x[f] = z < -4.0f ? -4.0f : z > 4.0f ? 4.0f : z;
    }
  }
}

static int newNode(Tree *t) {
  if (t->count == t->capacity) {
    t->capacity = t->capacity ? 2 * t->capacity : 64;
    size_t n = (size_t)t->capacity;
    t->feature = xgrow(t->feature, n * sizeof *t->feature);
    t->threshold = xgrow(t->threshold, n * sizeof *t->threshold);
    t->left = xgrow(t->left, n * sizeof *t->left);
    t->right = xgrow(t->right, n * sizeof *t->right);
    t->share = xgrow(t->share, n * sizeof *t->share);
  }
  return t->count++;
}

static double gini(const int *hist, int total) {
  double g = 1.0;
  for (int c = 0; c < NUM_CLASSES; c++)
    g -= ((double)hist[c] / total) * ((double)hist[c] / total);
  return g;
}

static double splitCost(const Dataset *d, const int *idx, int n, int f, float thr) {
  int hist[2][NUM_CLASSES] = {{0}}, count[2] = {0, 0};
  for (int i = 0; i < n; i++) {
    int side = d->x[idx[i]][f] > thr;
    hist[side][d->label[idx[i]]]++;
    count[side]++;
  }
  if (count[0] == 0 || count[1] == 0)
    return 2.0;
  return (count[0] * gini(hist[0], count[0]) + count[1] * gini(hist[1], count[1])) / n;
}

static int growNode(Tree *t, const Dataset *d, int *idx, int n, int depth) {
  int self = newNode(t), hist[NUM_CLASSES] = {0};
  for (int i = 0; i < n; i++)
    hist[d->label[idx[i]]]++;
  for (int c = 0; c < NUM_CLASSES; c++)
    t->share[self][c] = (float)hist[c] / (float)n;
  t->feature[self] = -1;

  double best = gini(hist, n);
  if (depth >= MAX_DEPTH || n < 6 || best < 1e-9)
    return self;
  int bestFeature = -1;
  float bestThr = 0;
  for (int k = 0; k < TRY_FEATURES; k++) {
    int f = (int)(nextRandom(&t->rng) % NUM_FEATURES);
    float thr = d->x[idx[nextRandom(&t->rng) % (uint32_t)n]][f];
    double cost = splitCost(d, idx, n, f, thr);
    if (cost < best) {
      best = cost;
      bestFeature = f;
      bestThr = thr;
    }
  }
  if (bestFeature < 0)
    return self;

  int lo = 0, hi = n;
  while (lo < hi) {
    if (d->x[idx[lo]][bestFeature] > bestThr) {
      int swap = idx[--hi];
      idx[hi] = idx[lo];
      idx[lo] = swap;
    } else {
      lo++;
    }
  }
  int l = growNode(t, d, idx, lo, depth + 1);
  int r = growNode(t, d, idx + lo, n - lo, depth + 1);
  t->feature[self] = bestFeature;
  t->threshold[self] = bestThr;
  t->left[self] = l;
  t->right[self] = r;
  return self;
}

static void growTree(Tree *t, const Dataset *d, int number) {
  int *idx = xalloc((size_t)d->rows * sizeof *idx);
  memset(t, 0, sizeof *t);
  t->rng = 0x9E3779B97F4A7C15ULL * (uint64_t)(number + 1);
  for (int i = 0; i < d->rows; i++)
    idx[i] = (int)(nextRandom(&t->rng) % (uint32_t)d->rows);
  growNode(t, d, idx, d->rows, 0);
  free(idx);
}

static int hardVote(const float *share, float *votes) {
  int top = 0;
  for (int c = 1; c < NUM_CLASSES; c++)
    if (share[c] > share[top])
      top = c;
  votes[top] += 1.0f;
  return top;
}

static int softVote(const float *share, float *votes) {
  for (int c = 0; c < NUM_CLASSES; c++)
    votes[c] += share[c];
  return 0;
}

static int predict(const Tree *trees, int numTrees, const float *x, CombineFn combine,
                   float *margin) {
  float votes[NUM_CLASSES] = {0};
  for (int t = 0; t < numTrees; t++) {
    const Tree *tree = &trees[t];
    int node = 0;
    while (tree->feature[node] >= 0)
      node = x[tree->feature[node]] > tree->threshold[node] ? tree->right[node]
                                                            : tree->left[node];
    combine(tree->share[node], votes);
  }
  int first = 0;
  for (int c = 1; c < NUM_CLASSES; c++)
    if (votes[c] > votes[first])
      first = c;
  float second = 0;
  for (int c = 0; c < NUM_CLASSES; c++)
    if (c != first && votes[c] > second)
      second = votes[c];
  *margin = (votes[first] - second) / (float)numTrees;
  return first;
}

static void evaluate(const char *name, const Tree *trees, int numTrees, const Dataset *test,
                     CombineFn combine) {
  int confusion[NUM_CLASSES][NUM_CLASSES] = {{0}};
  double marginSum = 0;
  int correct = 0;

  /* OMP: parallel for reduction(+:confusion,marginSum,correct) schedule(dynamic,256) */
  for (int r = 0; r < test->rows; r++) {
    float margin;
    int guess = predict(trees, numTrees, test->x[r], combine, &margin);
    confusion[test->label[r]][guess]++;
    marginSum += margin;
    if (guess == test->label[r])
      correct++;
  }

  printf("%s: accuracy %.5f mean margin %.5f\n", name, (double)correct / test->rows,
         marginSum / test->rows);
  for (int i = 0; i < NUM_CLASSES; i++) {
    for (int j = 0; j < NUM_CLASSES; j++)
      printf("%7d", confusion[i][j]);
    putchar('\n');
  }
}

int main(int argc, char **argv) {
  int testRows = argc > 1 ? atoi(argv[1]) : 30000;
  int numTrees = argc > 2 ? atoi(argv[2]) : 48;
  int trainRows = argc > 3 ? atoi(argv[3]) : 5000;
  if (testRows < 1 || numTrees < 1 || trainRows < 10) {
    fprintf(stderr, "usage: forest [testRows [numTrees [trainRows]]]\n");
    return EXIT_FAILURE;
  }

  Dataset train, test;
  makeDataset(&train, trainRows, 1);
  makeDataset(&test, testRows, 2);

  double mean[NUM_FEATURES], sigma[NUM_FEATURES];
  /* OMP: parallel for */
  for (int f = 0; f < NUM_FEATURES; f++)
    columnStats(&train, f, &mean[f], &sigma[f]);
  standardise(&train, mean, sigma);
  standardise(&test, mean, sigma);
  printf("column 0 mean %.5e sigma %.5e, column %d mean %.5e sigma %.5e\n", mean[0], sigma[0],
         NUM_FEATURES - 1, mean[NUM_FEATURES - 1], sigma[NUM_FEATURES - 1]);

  Tree *trees = xalloc((size_t)numTrees * sizeof *trees);
  /* OMP: parallel for schedule(dynamic) */
  for (int t = 0; t < numTrees; t++)
    growTree(&trees[t], &train, t);
  long nodes = 0;
  for (int t = 0; t < numTrees; t++)
    nodes += trees[t].count;
  printf("trees %d nodes %ld\n", numTrees, nodes);

  evaluate("hard vote", trees, numTrees, &test, hardVote);
  evaluate("soft vote", trees, numTrees, &test, softVote);

  for (int t = 0; t < numTrees; t++) {
    free(trees[t].feature);
    free(trees[t].threshold);
    free(trees[t].left);
    free(trees[t].right);
    free(trees[t].share);
  }
  free(trees);
  freeDataset(&train);
  freeDataset(&test);
  return EXIT_SUCCESS;
}

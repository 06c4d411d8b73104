// b4_text.c -- a small text-mining run: synthetic corpus, tokeniser, hashed
// vocabulary, character trigrams, tf-idf, spherical k-means, "more like this".
// usage: b4_text [ndocs [k [iterations]]]
#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HASH_BITS   14
#define HASH_SIZE   (1u << HASH_BITS)
#define NGRAM_BITS  13
#define NGRAM_SIZE  (1u << NGRAM_BITS)
#define MAX_WORD    24
#define N_TOPICS    11
#define VOCAB_GEN   9000u

typedef uint32_t term_id;
typedef struct { term_id term; float w; } entry_t;

typedef struct doc {
    char     *text;
    size_t    len;
    term_id  *tok;          // token stream
    unsigned  ntok;
    entry_t  *vec;          // sparse tf-idf vector, by ascending term
    unsigned  nnz;
    int       cluster;
} doc_t;

typedef struct word { char *s; term_id id; uint32_t df; struct word *next; } word_t;
typedef struct { word_t *bucket[HASH_SIZE]; word_t **by_id; uint32_t n, cap; } vocab_t;
typedef struct { uint32_t doc; float w; } posting_t;
typedef struct { double best; int with; } match_t;

static vocab_t vocab;
static uint32_t ngram_count[NGRAM_SIZE];
static uint64_t rstate = 88172645463325252ull;

static uint32_t rnd(void)
{
    rstate = rstate * 2862933555777941757ull + 3037000493ull;
    return (uint32_t)(rstate >> 33);
}

static void *xmalloc(size_t n)
{
    void *p = malloc(n ? n : 1);
    if (p == NULL) { fprintf(stderr, "b4_text: cannot allocate %zu bytes\n", n); exit(EXIT_FAILURE); }
    return p;
}

// Word number r as pronounceable letters; returns the length.
static int spell(unsigned r, char *out)
{
    static const char cons[] = "bcdfghklmnprstvz", vow[] = "aeiou";
    int n = 0;
    do {
        out[n++] = cons[r % 16]; r /= 16;
        out[n++] = vow[r % 5];   r /= 5;
    } while (r && n < MAX_WORD - 2);
    return n;
}

static void write_document(doc_t *d, unsigned topic)
{
    unsigned nwords = 120 + rnd() % 320;
    char *p = d->text = xmalloc((size_t)nwords * (MAX_WORD + 2) + 1);
    while (nwords--) {
        double u = (rnd() & 0xffffff) / (double)0x1000000;
        unsigned rank = (unsigned)(exp(u * log((double)VOCAB_GEN)) - 1);    // Zipf-like
        if (rnd() % 16 == 0) rank = VOCAB_GEN + topic * 200 + rnd() % 300;     // topics overlap
        p += spell(rank, p);
        if (rnd() % 12 == 0) { p[-1] = (char)toupper((unsigned char)p[-1]); *p++ = '.'; }
        *p++ = ' ';
    }
    *p = '\0';
    d->len = (size_t)(p - d->text);
}

static term_id intern(const char *s, size_t n)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)s[i]) * 16777619u;
    word_t **slot = &vocab.bucket[h & (HASH_SIZE - 1)];
    for (word_t *w = *slot; w; w = w->next)
        if (strncmp(w->s, s, n) == 0 && w->s[n] == '\0') return w->id;
    word_t *w = xmalloc(sizeof *w);
    w->s = xmalloc(n + 1);
    memcpy(w->s, s, n);
    w->s[n] = '\0';
    w->id = vocab.n; w->df = 0; w->next = *slot;
    *slot = w;
    if (vocab.n == vocab.cap) {
        vocab.cap = vocab.cap ? vocab.cap * 2 : 256;
        if (!(vocab.by_id = realloc(vocab.by_id, vocab.cap * sizeof *vocab.by_id))) abort();
    }
    vocab.by_id[vocab.n] = w;
    return vocab.n++;
}

static void tokenize(doc_t *d)
{
    char word[MAX_WORD + 1];
    d->tok = xmalloc((d->len / 2 + 1) * sizeof *d->tok);
    d->ntok = 0;
    for (const char *p = d->text; *p; ) {
        if (!isalpha((unsigned char)*p)) { p++; continue; }
        size_t n = 0;
        while (isalpha((unsigned char)*p)) {
            if (n < MAX_WORD) word[n++] = (char)tolower((unsigned char)*p);
            p++;
        }
        if (n > 1) d->tok[d->ntok++] = intern(word, n);
    }
}

static void count_trigrams(const doc_t *docs, size_t n)
{
    /* OMP: parallel for schedule(static) reduction(+:ngram_count) */
    for (size_t i = 0; i < n; i++) {
        const unsigned char *s = (const unsigned char *)docs[i].text;
        for (size_t j = 2; j < docs[i].len; j++) {
            if (s[j] == ' ' || s[j - 1] == ' ' || s[j - 2] == ' ') continue;
            uint32_t key = (s[j - 2] | 32u) * 961u + (s[j - 1] | 32u) * 31u + (s[j] | 32u);
            ngram_count[(key * 2654435761u) >> (32 - NGRAM_BITS)]++;
        }
    }
}

static int cmp_term(const void *a, const void *b)
{
    term_id x = *(const term_id *)a, y = *(const term_id *)b;
    return (x > y) - (x < y);
}

// Sort the tokens of one document and run-length them into term counts.
static void make_vector(doc_t *d)
{
    term_id *t = xmalloc(d->ntok * sizeof *t);
    memcpy(t, d->tok, d->ntok * sizeof *t);
    qsort(t, d->ntok, sizeof *t, cmp_term);
    d->vec = xmalloc(d->ntok * sizeof *d->vec);
    d->nnz = 0;
    for (unsigned i = 0; i < d->ntok; ) {
        unsigned j = i;
        while (j < d->ntok && t[j] == t[i]) j++;
        d->vec[d->nnz].term = t[i];
        d->vec[d->nnz++].w = 1.0f + logf((float)(j - i));
        i = j;
    }
    free(t);
}

static void weigh(doc_t *d, size_t ndocs)
{
    double norm = 0;
    for (entry_t *e = d->vec; e < d->vec + d->nnz; e++) {
        e->w *= logf((float)ndocs / (float)vocab.by_id[e->term]->df);
        norm += (double)e->w * e->w;
    }
    if (norm <= 0) return;
    float inv = (float)(1.0 / sqrt(norm));
    for (unsigned i = 0; i < d->nnz; i++) d->vec[i].w *= inv;
}

static float dot_dense(const doc_t *d, const float *c)
{
    float s = 0;
    for (const entry_t *e = d->vec, *end = e + d->nnz; e != end; ++e) s += e->w * c[e->term];
    return s;
}

static int kmeans(doc_t *docs, size_t n, int k, int maxit, double *quality)
{
    float **cent = xmalloc((size_t)k * sizeof *cent);
    int it;
    for (int c = 0; c < k; c++) {
        cent[c] = xmalloc(vocab.n * sizeof **cent);
        memset(cent[c], 0, vocab.n * sizeof **cent);
        const doc_t *d = &docs[(size_t)c * n / (size_t)k];
        for (unsigned j = 0; j < d->nnz; j++) cent[c][d->vec[j].term] = d->vec[j].w;
    }
    for (it = 0; it < maxit; it++) {
        long moved = 0;
        double q = 0;
        /* OMP: parallel for schedule(dynamic,32) reduction(+:moved,q) */
        for (size_t i = 0; i < n; i++) {
            int best = 0;
            float sim = -1;
            for (int c = 0; c < k; c++) {
                float s = dot_dense(&docs[i], cent[c]);
                if (s > sim) { sim = s; best = c; }
            }
            if (best != docs[i].cluster) { docs[i].cluster = best; moved++; }
            q += sim;
        }
        *quality = q;
        if (moved == 0) break;

        /* OMP: parallel for schedule(dynamic,1) */
        for (int c = 0; c < k; c++) {
            float *m = cent[c];
            double norm = 0;
            memset(m, 0, vocab.n * sizeof *m);
            for (size_t i = 0; i < n; i++) {
                if (docs[i].cluster != c) continue;
                for (unsigned j = 0; j < docs[i].nnz; j++) m[docs[i].vec[j].term] += docs[i].vec[j].w;
            }
            for (uint32_t t = 0; t < vocab.n; t++) norm += (double)m[t] * m[t];
            if (norm == 0) continue;
            for (uint32_t t = 0; t < vocab.n; t++) m[t] *= (float)(1.0 / sqrt(norm));
        }
    }
    return it;
}

// Most similar other document for every step-th one, over an inverted index.
static void more_like_this(const doc_t *docs, size_t n, size_t step, match_t *out)
{
    size_t *start = xmalloc((vocab.n + 1) * sizeof *start), total = 0;
    for (uint32_t t = 0; t < vocab.n; start[++t] = total) { start[t] = total; total += vocab.by_id[t]->df; }
    posting_t *post = xmalloc(total * sizeof *post);
    size_t *fill = xmalloc(vocab.n * sizeof *fill);
    memcpy(fill, start, vocab.n * sizeof *fill);
    for (size_t i = 0; i < n; i++)
        for (const entry_t *e = docs[i].vec; e < docs[i].vec + docs[i].nnz; e++)
            post[fill[e->term]++] = (posting_t){ (uint32_t)i, e->w };

    /* OMP: parallel for schedule(dynamic,4) */
    for (size_t i = 0; i < n; i += step) {
        float *score = calloc(n, sizeof *score);
        if (!score) { fprintf(stderr, "no memory for scores\n"); exit(EXIT_FAILURE); }
        for (unsigned j = 0; j < docs[i].nnz; j++) {
            const entry_t e = docs[i].vec[j];
            for (size_t p = start[e.term]; p < start[e.term + 1]; p++) score[post[p].doc] += e.w * post[p].w;
        }
        match_t m = { -1.0, -1 };
        for (size_t o = 0; o < n; o++)
            if (o != i && score[o] > m.best) { m.best = score[o]; m.with = (int)o; }
        out[i / step] = m;
        free(score);
    }
}

int main(int argc, char **argv)
{
    size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 8000, step = 4;
    int k = argc > 2 ? atoi(argv[2]) : 32, maxit = argc > 3 ? atoi(argv[3]) : 6;
    if (n < 10 || k < 1 || (size_t)k > n || maxit < 1) { fprintf(stderr, "usage: %s [ndocs>=10 [k [iter]]]\n", argv[0]); return 2; }
    doc_t *docs = calloc(n, sizeof *docs);
    match_t *match = xmalloc((n / step + 1) * sizeof *match);
    if (!docs) return 1;
    for (size_t i = 0; i < n; i++) {
        docs[i].cluster = -1;
        write_document(&docs[i], rnd() % N_TOPICS);
        tokenize(&docs[i]);
    }
    count_trigrams(docs, n);
    /* OMP: parallel for schedule(guided) */
    for (size_t i = 0; i < n; i++) make_vector(&docs[i]);
    for (size_t i = 0; i < n; i++)
        for (unsigned j = 0; j < docs[i].nnz; j++) vocab.by_id[docs[i].vec[j].term]->df++;
    for (size_t i = 0; i < n; i++) weigh(&docs[i], n);

    double quality = 0, sim = 0;
    int it = kmeans(docs, n, k, maxit, &quality);
    more_like_this(docs, n, step, match);

    uint64_t check = 0, tri = 0;
    uint32_t top = 0;
    for (size_t i = 0; i < n; i++) check = check * 31 + (uint64_t)docs[i].cluster;
    for (size_t i = 0; i < n; i += step) { sim += match[i / step].best; check ^= (uint64_t)match[i / step].with << (i % 40); }
    for (uint32_t g = 0; g < NGRAM_SIZE; g++) { tri += ngram_count[g]; if (ngram_count[g] > ngram_count[top]) top = g; }
    printf("vocabulary %u  trigrams %llu  top bucket %u (%u)\n", vocab.n, (unsigned long long)tri, top, ngram_count[top]);
    printf("k-means: %d iterations, quality %.6e\n", it, quality);
    printf("similarity %.6e  check %016llx\n", sim, (unsigned long long)check);
    return 0;
}

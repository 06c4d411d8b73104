/* seqscan - k-mer spectrum, seed filter and affine-gap local alignment of a
 * read set against a set of reference fragments (all synthetic). */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <string.h>

#define KMER      8
#define NKMER     (1u << (2 * KMER))
#define NEG_INF   (-(1 << 28))
#define MAX2(a,b) ((a) > (b) ? (a) : (b))
#define NBIN      64

typedef uint8_t base_t;                 /* 0..3 = ACGT, 4 = N */

struct seq {
    const base_t *s;
    uint32_t len, origin;               /* fragment the read was drawn from */
};

struct seqset { struct seq *v; size_t n; base_t *pool; };

struct hit { int32_t ref, score; uint32_t qend, rend, tried; };

struct params { int match, mismatch, gap_open, gap_ext, xdrop; unsigned min_seeds; };

static const struct params dflt = { 2, -3, 5, 2, 60, 14 };
static int8_t submat[5][5];

static uint64_t rng = 88172645463325252ull;
static unsigned rnd(unsigned n)
{
    rng = rng * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)((rng >> 33) % n);
}

static void die(const char *msg) { fprintf(stderr, "seqscan: %s\n", msg); exit(1); }

static void init_submat(const struct params *p)
{
    for (int a = 0; a < 5; a++)
        for (int b = 0; b < 5; b++) submat[a][b] = (a == 4 || b == 4) ? 0 : a == b ? p->match : p->mismatch;
}

static void make_refs(struct seqset *rs, size_t n, uint32_t len)
{
    rs->n = n;
    rs->v = malloc(n * sizeof *rs->v);
    rs->pool = malloc(n * len);
    if (!rs->v || !rs->pool) die("out of memory (references)");
    base_t *p = rs->pool;
    for (size_t i = 0; i < n; i++) {
        rs->v[i].s = p;
        rs->v[i].len = len;
        rs->v[i].origin = (uint32_t)i;
        for (uint32_t j = 0; j < len; j++)
            p[j] = j > 8 && rnd(4) == 0 ? p[j - 7] : rnd(200) == 0 ? 4 : rnd(4);
        p += len;
    }
}

/* reads: substrings of a fragment with substitutions and indels */
static void make_reads(struct seqset *q, const struct seqset *rs, size_t n, uint32_t len)
{
    q->n = n;
    q->v = malloc(n * sizeof *q->v);
    q->pool = malloc(n * len);
    if (!q->v || !q->pool) die("out of memory (reads)");
    base_t *out = q->pool;
    for (struct seq *r = q->v; r != q->v + n; r++) {
        const struct seq *src = &rs->v[rnd(rs->n)];
        uint32_t want = len / 2 + rnd(len / 2), pos = rnd(src->len - want), k = 0;
        r->s = out;
        r->origin = src->origin;
        while (k < want && pos < src->len) {
            unsigned e = rnd(100);
            if (e < 3) { out[k++] = rnd(4); continue; }         /* insertion */
            if (e < 6) { pos++; continue; }                     /* deletion */
            out[k++] = e < 11 ? rnd(4) : src->s[pos];
            pos++;
        }
        r->len = k;
        out += k;
    }
}

/* 2-bit rolling code; returns number of valid k-mers put into kv */
static unsigned kmers_of(const struct seq *q, uint32_t *kv)
{
    uint32_t code = 0;
    unsigned run = 0, n = 0;
    for (const base_t *p = q->s, *e = q->s + q->len; p < e; p++) {
        if (*p > 3) { run = 0; continue; }
        code = ((code << 2) | *p) & (NKMER - 1);
        if (++run >= KMER) kv[n++] = code;
    }
    return n;
}

static uint64_t spectrum(const struct seqset *ss, uint32_t *count)
{
    uint64_t total = 0;
    for (size_t i = 0; i < ss->n; i++) {
        uint32_t kv[ss->v[i].len];
        unsigned n = kmers_of(&ss->v[i], kv);
        for (unsigned j = 0; j < n; j++) count[kv[j]]++;
        total += n;
    }
    return total;
}

/* presence bitmap per reference, NKMER/64 words each */
static uint64_t **build_index(const struct seqset *rs)
{
    uint64_t **tab = malloc(rs->n * sizeof *tab);
    if (!tab) die("out of memory (index)");
    for (size_t i = 0; i < rs->n; i++) {
        tab[i] = calloc(NKMER / 64, sizeof **tab);
        uint32_t *kv = malloc(rs->v[i].len * sizeof *kv);
        if (!tab[i] || !kv) die("out of memory (index row)");
        unsigned n = kmers_of(&rs->v[i], kv);
        while (n--) tab[i][kv[n] >> 6] |= 1ull << (kv[n] & 63);
        free(kv);
    }
    return tab;
}

static int align(const struct seq *q, const struct seq *r, const struct params *p,
                 uint32_t *qend, uint32_t *rend, uint64_t *cells)
{
    int32_t *H = malloc((r->len + 1) * sizeof *H);
    int32_t *F = malloc((r->len + 1) * sizeof *F);
    int best = 0;
    if (!H || !F) die("out of memory (DP rows)");
    for (uint32_t j = 0; j <= r->len; j++) { H[j] = 0; F[j] = NEG_INF; }
    *qend = *rend = 0;
    for (uint32_t i = 1; i <= q->len; i++) {
        const int8_t *sub = submat[q->s[i - 1]];
        int diag = 0, E = NEG_INF, rowbest = 0;
        for (uint32_t j = 1; j <= r->len; j++) {
            int h = diag + sub[r->s[j - 1]];
            E = MAX2(E, H[j - 1] - p->gap_open) - p->gap_ext;
            F[j] = MAX2(F[j], H[j] - p->gap_open) - p->gap_ext;
            h = MAX2(h, MAX2(E, F[j]));
            if (h < 0) h = 0;
            diag = H[j];
            H[j] = h;
            if (h > rowbest) {
                rowbest = h;
                if (h > best) { best = h; *qend = i; *rend = j; }
            }
        }
        *cells += r->len;
        if (best - rowbest > p->xdrop) break;
    }
    free(H); free(F);
    return best;
}

static void map_reads(const struct seqset *qs, const struct seqset *rs, uint64_t *const *idx,
                      const struct params *p, struct hit *hits, uint64_t *cells_out, unsigned *nfilt)
{
    uint64_t cells = 0;
    unsigned filtered = 0;
    /* OMP: parallel for schedule(dynamic,8) reduction(+:cells,filtered) */
    for (size_t i = 0; i < qs->n; i++) {
        const struct seq *q = &qs->v[i];
        struct hit *h = &hits[i];
        uint32_t kv[q->len + 1];
        unsigned nk = kmers_of(q, kv);
        h->ref = -1;
        h->score = h->tried = h->qend = h->rend = 0;
        for (size_t r = 0; r < rs->n; r++) {
            unsigned shared = 0, k;
            for (k = 0; k < nk && shared < p->min_seeds; k++)
                shared += (idx[r][kv[k] >> 6] >> (kv[k] & 63)) & 1;
            if (shared < p->min_seeds) { filtered++; continue; }
            uint32_t qe, re;
            int s = align(q, &rs->v[r], p, &qe, &re, &cells);
            h->tried++;
            if (s > h->score) { h->score = s; h->ref = (int32_t)r; h->qend = qe; h->rend = re; }
        }
    }
    *cells_out = cells; *nfilt = filtered;
}

/* null model: 4-mer counts over many shuffles of every sequence */
static void background(const struct seqset *ss, int rounds, uint64_t bg[256], unsigned *skipped)
{
    unsigned ambiguous = 0;
    /* OMP: parallel for schedule(static) reduction(+:bg[:256]) reduction(+:ambiguous) */
    for (size_t i = 0; i < ss->n; i++) {
        const struct seq *q = &ss->v[i];
        uint32_t st = 2463534242u + 7919u * (uint32_t)i;
        base_t buf[q->len];
        memcpy(buf, q->s, q->len);
        for (int r = 0; r < rounds; r++) {
            unsigned code = 0, run = 0;
            for (uint32_t j = q->len - 1; j > 0; j--) {
                st ^= st << 13; st ^= st >> 17; st ^= st << 5;
                uint32_t k = (uint32_t)(((uint64_t)st * (j + 1)) >> 32);
                base_t t = buf[j]; buf[j] = buf[k]; buf[k] = t;
            }
            for (const base_t *b = buf; b < buf + q->len; b++) {
                if (*b > 3) { run = 0; ambiguous++; continue; }
                code = (code << 2 | *b) & 255;
                if (++run >= 4) bg[code]++;
            }
        }
    }
    *skipped = ambiguous;
}
/* chi-square distance between 4-mer profiles, all pairs; reports the closest pair */
static double profile_distance(const struct seqset *ss, int *pa, int *pb)
{
    int n = (int)ss->n, (*prof)[256] = calloc(n, sizeof *prof);
    double sum = 0.0, best = 1e300, *row_min = malloc(n * sizeof *row_min);
    int *row_arg = malloc(n * sizeof *row_arg);
    if (!prof || !row_min || !row_arg) die("out of memory (profiles)");
    for (int i = 0; i < n; i++)
        for (uint32_t j = 0; j + 4 <= ss->v[i].len; j++) {
            const base_t *b = ss->v[i].s + j;
            if ((b[0] | b[1] | b[2] | b[3]) & 4) continue;
            prof[i][b[0] << 6 | b[1] << 4 | b[2] << 2 | b[3]]++;
        }
    /* OMP: parallel for schedule(dynamic,4) reduction(+:sum) */
    for (int i = 0; i < n; i++) {
        row_min[i] = 1e300; row_arg[i] = -1;
        for (int j = i + 1; j < n; j++) {
            double d = 0.0;
            for (int k = 0; k < 256; k++) {
                int diff = prof[i][k] - prof[j][k], tot = prof[i][k] + prof[j][k];
                if (tot) d += (double)(diff * diff) / tot;
            }
            sum += d;
            if (d < row_min[i]) { row_min[i] = d; row_arg[i] = j; }
        }
    }
    for (int i = 0; i < n; i++)
        if (row_min[i] < best) { best = row_min[i]; *pa = i; *pb = row_arg[i]; }
    free(prof); free(row_min); free(row_arg);
    return sum / (0.5 * n * (n - 1));
}

int main(int argc, char **argv)
{
    size_t nread = argc > 1 ? strtoul(argv[1], NULL, 0) : 3000, nref = argc > 2 ? strtoul(argv[2], NULL, 0) : 500;
    struct seqset refs, reads;
    if (nread < 1 || nref < 2) die("usage: seqscan [reads [references]]");
    init_submat(&dflt);
    make_refs(&refs, nref, 600);
    make_reads(&reads, &refs, nread, 220);

    uint32_t *count = calloc(NKMER, sizeof *count);
    struct hit *hits = malloc(nread * sizeof *hits);
    if (!count || !hits) die("out of memory");
    uint64_t total = spectrum(&reads, count) + spectrum(&refs, count);
    uint32_t top = 0, distinct = 0, sum = 0;
    for (uint32_t k = 0; k < NKMER; k++) { distinct += count[k] != 0; if (count[k] > count[top]) top = k; }
    uint64_t **idx = build_index(&refs), cells;
    unsigned filtered, correct = 0, hist[NBIN] = { 0 };
    map_reads(&reads, &refs, idx, &dflt, hits, &cells, &filtered);
    for (size_t i = 0; i < nread; i++) {
        correct += hits[i].ref == (int32_t)reads.v[i].origin;
        hist[hits[i].score / 8 < NBIN ? hits[i].score / 8 : NBIN - 1]++;
        sum = sum * 16777619u ^ (hits[i].score + hits[i].qend * 7 + hits[i].rend * 13 + hits[i].tried);
    }
    int mode = 0, pa = -1, pb = -1, rare = 0;
    for (int b = 1; b < NBIN; b++) if (hist[b] > hist[mode]) mode = b;
    uint64_t bg[256] = { 0 };
    unsigned amb;
    background(&refs, 60, bg, &amb);
    for (int w = 1; w < 256; w++) if (bg[w] < bg[rare]) rare = w;
    double mean = profile_distance(&refs, &pa, &pb);
    printf("kmers %llu distinct %u top %u x%u\n", (unsigned long long)total, distinct, top, count[top]);
    printf("cells %llu filtered %u correct %u mode %d sum %08x\n", (unsigned long long)cells, filtered, correct, mode, sum);
    printf("background rare %d x%llu ambiguous %u\n", rare, (unsigned long long)bg[rare], amb);
    printf("profile mean %.6e closest %d %d\n", mean, pa, pb);
    return 0;
}

/* seqscan [contigs] [reads] [proteins]
 * k-mer spectra, motif hits and local alignments for made-up sequences */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define K          8u
#define NKMER      (1u << (2 * K))
#define PK         4u                   /* words of the composition profile */
#define NWORD      (1u << (2 * PK))
#define READLEN    120u
#define MOTIFS     6u
#define MLEN       14u
#define MAXAA      320u
enum { GAP_OPEN = 11, GAP_EXT = 1 };
#define BASE(c)    (code_of[(unsigned char)(c)])

typedef struct {
    size_t    n, cap, used;
    char     *pool;                     /* all letters, one after the other */
    size_t   *at;                       /* start of each sequence, n + 1 of them */
} seqset;

typedef struct { int16_t w[MLEN][4]; int cutoff; } motif;

static const char dna[] = "ACGT", aas[] = "ARNDCQEGHILKMFPSTWYV";
static int8_t code_of[256];

static uint32_t rnd(uint32_t below)
{
    static uint32_t rs = 2463534242u;

    rs ^= rs << 13;
    rs ^= rs >> 17;
    rs ^= rs << 5;
    return (uint32_t)(((uint64_t)rs * below) >> 32);
}

static void die(const char *why) { exit(fprintf(stderr, "seqscan: %s\n", why)); }

static seqset seqset_new(size_t n, size_t cap)
{
    seqset s = { 0, cap, 0, malloc(cap), malloc((n + 1) * sizeof(size_t)) };

    if (!s.pool || !s.at)
        die("out of memory");
    *s.at = 0;
    return s;
}

static void seqset_free(seqset *s) { free(s->pool); free(s->at); }
static inline const char *seq(const seqset *s, size_t i) { return s->pool + s->at[i]; }
static inline size_t seqlen(const seqset *s, size_t i)   { return s->at[i + 1] - s->at[i]; }

static void seqset_add(seqset *s, const char *from, size_t len)
{
    if (s->used + len > s->cap)
        die("pool exhausted");
    memcpy(s->pool + s->used, from, len);
    s->used += len;
    s->at[++s->n] = s->used;
}

static void random_letters(char *dst, size_t len, const char *abc, uint32_t size)
{
    while (len--)
        *dst++ = abc[rnd(size)];
}

/* copy with substitutions and the odd deletion or insertion; returns the length */
static size_t mutate(char *dst, const char *src, size_t len, const char *abc, uint32_t permille)
{
    const uint32_t size = (uint32_t)strlen(abc);
    char *d = dst;

    for (const char *end = src + len; src < end; src++) {
        uint32_t dice = rnd(1000);
        if (dice < permille && dice % 5 == 1)
            continue;
        if (dice < permille)
            *d++ = abc[rnd(size)];
        if (dice >= permille || (dice % 5 == 0 && d - dst + (end - src) <= (long)len))
            *d++ = *src;
    }
    return (size_t)(d - dst);
}

/* canonical k-mers (the smaller of both strands) of all reads */
static void count_kmers(const seqset *reads, uint32_t *restrict count)
{
    /* OMP: parallel for reduction(+:count[:NKMER]) */
    for (size_t r = 0; r < reads->n; r++) {
        const char *p = seq(reads, r), *end = p + seqlen(reads, r);
        uint32_t fwd = 0, rev = 0, have = 0;

        for (; p < end; p++) {
            int c = BASE(*p);
            have = c < 0 ? 0 : have + 1;        /* N: start over */
            fwd = (fwd << 2 | (uint32_t)(c & 3)) & (NKMER - 1);
            rev = rev >> 2 | (uint32_t)(~c & 3) << (2 * (K - 1));
            if (have >= K)
                count[fwd < rev ? fwd : rev]++;
        }
    }
}

/* word frequencies of every contig, one row each */
static void profiles(const seqset *ctg, float (*freq)[NWORD])
{
    /* OMP: parallel for schedule(guided) */
    for (size_t i = 0; i < ctg->n; i++) {
        uint32_t hist[NWORD] = { 0 }, word = 0;
        const char *s = seq(ctg, i);
        size_t len = seqlen(ctg, i);

        for (size_t j = 0; j < len; j++) {
            word = (word << 2 | (uint32_t)(BASE(s[j]) & 3)) % NWORD;
            hist[word] += j + 1 >= PK;
        }
        for (size_t w = 0; w < NWORD; w++)
            freq[i][w] = (float)hist[w] / (float)(len - PK + 1);
    }
}

/* closest other contig by Manhattan distance */
static void nearest(float (*freq)[NWORD], size_t n, uint32_t *near)
{
    /* OMP: parallel for schedule(static) */
    for (size_t i = 0; i < n; i++) {
        float best = 1e30f;
        for (size_t j = 0; j < n; j++) {
            float d = 0.0f;
            for (const float *a = freq[i], *b = freq[j], *e = a + NWORD; a < e; a++, b++)
                d += *a > *b ? *a - *b : *b - *a;
            if (j != i && d < best) {
                best = d;
                near[i] = (uint32_t)j;
            }
        }
    }
}

static void make_motif(motif *m)
{
    int top = 0;

    for (size_t p = 0; p < MLEN; p++) {
        uint32_t fav = rnd(4);
        for (uint32_t b = 0; b < 4; b++)
            m->w[p][b] = (int16_t)(b == fav ? 60 + (int)rnd(90) : -10 - (int)rnd(120));
        top += m->w[p][fav];
    }
    m->cutoff = top * 11 / 20;
}

static size_t scan(const motif *ms, const char *s, size_t len, int *best, size_t *possum)
{
    size_t hits = 0, where = 0;
    int top = -100000;

    /* OMP: parallel for reduction(+:hits,where) reduction(max:top) */
    for (size_t i = 0; i < len - MLEN + 1; i++)
        for (const motif *m = ms; m < ms + MOTIFS; m++) {
            int sc = 0;
            for (size_t p = 0; p < MLEN; p++)
                sc += m->w[p][(int)BASE(s[i + p])];
            top = sc > top ? sc : top;
            if (sc >= m->cutoff)
                hits++, where += i;
        }
    *best = top, *possum = where;
    return hits;
}

static void substitution(int8_t sub[20][20])
{
    static const char *groups[] = { "AGST", "DENQ", "HKR", "ILMV", "FWY" };

    for (int a = 0; a < 20; a++)
        for (int b = 0; b < 20; b++) {
            sub[a][b] = a == b ? 6 : -2;
            for (size_t g = 0; a != b && g < sizeof groups / sizeof *groups; g++)
                if (strchr(groups[g], aas[a]) && strchr(groups[g], aas[b]))
                    sub[a][b] = 1;
        }
}

static inline int max2(int a, int b) { return a > b ? a : b; }

/* Smith-Waterman-Gotoh, score only, two rows kept in one */
static int local_score(const char *restrict a, size_t la, const char *restrict b, size_t lb,
                       int8_t sub[20][20], const int8_t *aacode)
{
    int h[MAXAA + 1], f[MAXAA + 1], best = 0;

    for (size_t j = 0; j <= lb; j++)
        h[j] = 0, f[j] = -GAP_OPEN;
    for (const char *pa = a; pa < a + la; pa++) {
        const int8_t *row = sub[aacode[(unsigned char)*pa]];
        int diag = 0, e = -GAP_OPEN;
        for (size_t j = 1; j <= lb; j++) {
            int v = diag + row[aacode[(unsigned char)b[j - 1]]];
            e = max2(h[j - 1] - GAP_OPEN, e) - GAP_EXT;
            f[j] = max2(h[j] - GAP_OPEN, f[j]) - GAP_EXT;
            v = max2(max2(v, 0), max2(e, f[j]));
            best = max2(best, v);
            diag = h[j];
            h[j] = v;
        }
    }
    return best;
}

static void all_pairs(const seqset *prot, int *score)
{
    int8_t sub[20][20], aacode[256] = { 0 };
    const size_t n = prot->n;

    substitution(sub);
    for (int i = 0; i < 20; i++)
        aacode[(unsigned char)aas[i]] = (int8_t)i;
    /* OMP: parallel for schedule(dynamic,1) */
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            score[i * n + j] = score[j * n + i] = local_score(
                seq(prot, i), seqlen(prot, i), seq(prot, j), seqlen(prot, j), sub, aacode);
}

int main(int argc, char **argv)
{
    size_t nctg = argc > 1 ? strtoul(argv[1], NULL, 0) : 260;
    size_t nread = argc > 2 ? strtoul(argv[2], NULL, 0) : 30000;
    size_t nprot = argc > 3 ? strtoul(argv[3], NULL, 0) : 56;
    char buf[4096];

    if (nctg < 2 || nread < 1 || nprot < 1)
        die("bad sizes");
    memset(code_of, -1, sizeof code_of);
    for (int8_t c = 0; c < 4; c++)
        code_of[(unsigned char)dna[c]] = c;

    seqset ctg = seqset_new(nctg, nctg * 2000), reads = seqset_new(nread, nread * READLEN);
    seqset prot = seqset_new(nprot, nprot * MAXAA);
    for (size_t i = 0, len; i < nctg; i++) {
        random_letters(buf, len = 600 + rnd(1300), dna, 2 + rnd(3));
        seqset_add(&ctg, buf, len);
    }
    for (size_t i = 0; i < nread; i++) {
        size_t len = mutate(buf, ctg.pool + rnd((uint32_t)(ctg.used - READLEN)), READLEN, dna, 12);
        if (rnd(9) == 0)
            buf[rnd((uint32_t)len)] = 'N';
        seqset_add(&reads, buf, len);
    }
    for (size_t i = 0; i < nprot; i++) {
        size_t len = 140 + rnd(MAXAA - 140);
        random_letters(buf, len, aas, 20);
        if (i % 4)
            len = mutate(buf, seq(&prot, i - 1), seqlen(&prot, i - 1), aas, 250);
        seqset_add(&prot, buf, len);
    }

    uint32_t *count = calloc(NKMER, sizeof *count), *near = calloc(nctg, sizeof *near);
    float (*freq)[NWORD] = malloc(nctg * sizeof *freq);
    int *score = malloc(nprot * nprot * sizeof *score), best;
    if (!count || !near || !freq || !score)
        die("out of memory");

    count_kmers(&reads, count);
    size_t sum = 0, distinct = 0, hits;
    for (uint32_t k = NKMER; k-- > 0; ) {
        distinct += count[k] != 0;
        sum += (size_t)count[k] * (k & 1023);
    }
    printf("%zu reads: %zu distinct %u-mers, checksum %zu\n", reads.n, distinct, K, sum);

    profiles(&ctg, freq);
    nearest(freq, nctg, near);
    sum = 0;
    for (size_t i = 0; i < nctg; i++)
        sum += near[i] * (i + 1);
    printf("nearest contigs: checksum %zu\n", sum);

    motif ms[MOTIFS];
    for (size_t m = 0; m < MOTIFS; m++)
        make_motif(&ms[m]);
    hits = scan(ms, ctg.pool, ctg.used, &best, &sum);
    printf("motif hits %zu, best %d, positions %zu\n", hits, best, sum);

    all_pairs(&prot, score);
    long total = 0;
    for (int *p = score; p < score + nprot * nprot; )
        total += *p++;
    printf("alignment scores: sum %ld\n", total);
    free(count); free(near); free(freq); free(score);
    seqset_free(&ctg); seqset_free(&reads); seqset_free(&prot);
    return 0;
}

/* synth - offline polyphonic subtractive synthesizer with a Schroeder style
 * reverb and a Goertzel band analyser.  Random but repeatable score. */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <string.h>
#include <math.h>

#define SR        48000.0f
enum { BLOCK = 512, UNISON = 5, OVERSMP = 2, NVOICES = 48, NCOMB = 8, TABSIZE = 4096 };

typedef enum { ENV_IDLE, ENV_ATTACK, ENV_DECAY, ENV_SUSTAIN, ENV_RELEASE } env_stage;

struct voice;
typedef float (*osc_fn)(struct voice *v, int u);

typedef struct { env_stage stage; float level, attack, decay, sustain, release; } env_t;

typedef struct voice {
    int active, note;
    unsigned long age;
    osc_fn osc;
    float phase[UNISON], inc[UNISON];
    float pan, gain;
    float lp, bp, cutoff, reso;             /* state variable filter */
    uint32_t noise;
    env_t env;
    unsigned gate;                          /* samples until note-off */
    float *buf;                             /* BLOCK samples, mono */
    unsigned long nclip;
} voice_t;

typedef struct { unsigned long start; int note; unsigned len; float vel; int patch; } event_t;

typedef struct {
    voice_t *voices;
    int nvoices;
    float *out[2];
    size_t nframes;
    unsigned long stolen, clipped, clock;
} synth_t;

static float sine_tab[TABSIZE + 1];
static uint32_t g_seed = 777;

static uint32_t urand(void) { return (g_seed = g_seed * 196314165u + 907633515u) >> 4; }
static float frand(float a, float b) { return a + (b - a) * (urand() & 0xffffff) / 16777216.0f; }

static void *need(void *p)
{
    if (!p) { fprintf(stderr, "synth: allocation failed\n"); exit(3); }
    return p;
}

static float osc_saw(voice_t *v, int u)   { return 2.0f * v->phase[u] - 1.0f; }
static float osc_pulse(voice_t *v, int u) { return v->phase[u] < 0.3f ? 1.0f : -0.43f; }
static float osc_fm(voice_t *v, int u)
{
    float x = v->phase[u] * TABSIZE;
    float m = sine_tab[(int)(x * 2.0f) & (TABSIZE - 1)];
    return sine_tab[(int)(x + 600.0f * m + TABSIZE) & (TABSIZE - 1)];
}
static float osc_breath(voice_t *v, int u)
{
    v->noise = v->noise * 1664525u + 1013904223u;
    return 0.5f * sine_tab[(int)(v->phase[u] * TABSIZE)] + (int32_t)v->noise * (0.3f / 2147483648.0f);
}
static const osc_fn patches[] = { osc_saw, osc_pulse, osc_fm, osc_breath };
#define NPATCH ((int)(sizeof patches / sizeof patches[0]))

static float env_next(env_t *e)
{
    switch (e->stage) {
    case ENV_ATTACK:
        e->level += e->attack;
        if (e->level >= 1.0f) { e->level = 1.0f; e->stage = ENV_DECAY; }
        break;
    case ENV_DECAY:
        e->level -= e->decay;
        if (e->level <= e->sustain) { e->level = e->sustain; e->stage = ENV_SUSTAIN; }
        break;
    case ENV_RELEASE:
        e->level *= e->release;
        if (e->level < 1e-4f) { e->level = 0.0f; e->stage = ENV_IDLE; }
        break;
    default: break;
    }
    return e->level;
}

static void voice_start(voice_t *v, const event_t *ev, unsigned long clock)
{
    float f = 440.0f * powf(2.0f, (ev->note - 69) / 12.0f);
    v->active = 1;
    v->note = ev->note; v->age = clock;
    v->osc = patches[ev->patch];
    for (int u = 0; u < UNISON; u++) {
        v->phase[u] = frand(0.0f, 1.0f);
        v->inc[u] = f * (1.0f + 0.004f * (u - UNISON / 2)) / (SR * OVERSMP);
    }
    v->pan = frand(0.1f, 0.9f);
    v->gain = ev->vel * 0.3f;
    v->lp = v->bp = 0.0f; v->cutoff = fminf(0.9f, 8.0f * f / SR + 0.05f);
    v->reso = frand(0.15f, 0.8f);
    v->noise = urand();
    v->env = (env_t){ ENV_ATTACK, 0.0f, 1.0f / frand(200, 4000), 1.0f / frand(4000, 20000), frand(0.3f, 0.8f), 0.9996f };
    v->gate = ev->len;
}

static int voice_render(voice_t *v, int n)
{
    float *o = v->buf;
    for (int i = 0; i < n; i++) {
        if (v->gate && --v->gate == 0)
            v->env.stage = ENV_RELEASE;
        float a = env_next(&v->env) * v->gain, y = 0.0f;
        if (v->env.stage == ENV_IDLE) {
            memset(o, 0, (n - i) * sizeof *o);
            v->active = 0;
            return i;
        }
        for (int k = 0; k < OVERSMP; k++) {
            float x = 0.0f;
            for (int u = 0; u < UNISON; u++) {
                x += v->osc(v, u);
                v->phase[u] += v->inc[u];
                if (v->phase[u] >= 1.0f) v->phase[u] -= 1.0f;
            }
            float hp = x / UNISON - v->lp - v->reso * v->bp;
            v->bp += v->cutoff * 0.5f * hp;
            v->lp += v->cutoff * 0.5f * v->bp;
            y += v->lp;
        }
        y *= a / OVERSMP;
        if (y > 0.25f) { y = 0.25f; v->nclip++; }
        else if (y < -0.25f) { y = -0.25f; v->nclip++; }
        *o++ = y;
    }
    return n;
}

static voice_t *pick_voice(synth_t *s)
{
    voice_t *oldest = s->voices;
    for (voice_t *v = s->voices; v < s->voices + s->nvoices; v++) {
        if (!v->active) return v;
        if (v->age < oldest->age) oldest = v;
    }
    s->stolen++;
    return oldest;
}

static unsigned long render_block(synth_t *s, size_t pos, int n)
{
    unsigned long done = 0;
    /* OMP: parallel for schedule(dynamic,2) reduction(+:done) */
    for (int i = 0; i < s->nvoices; i++) {
        voice_t *v = s->voices + i;
        if (!v->active) continue;
        done += voice_render(v, n);
    }
    float *l = s->out[0] + pos, *r = s->out[1] + pos;
    for (int i = 0; i < s->nvoices; i++) {
        const voice_t *v = &s->voices[i];
        if (v->age == 0) continue;              /* never used so far */
        for (int k = 0; k < n; k++) {
            l[k] += v->buf[k] * (1.0f - v->pan);
            r[k] += v->buf[k] * v->pan;
        }
        if (!v->active) memset(v->buf, 0, BLOCK * sizeof(float));
    }
    s->clock += n;
    return done;
}

static void comb(const float *in, float *out, size_t n, int delay, float fb, float damp)
{
    float *line = need(calloc(delay, sizeof *line)), z = 0.0f;
    int w = 0;
    for (size_t i = 0; i < n; i++) {
        float y = line[w];
        z = y * (1.0f - damp) + z * damp;
        line[w] = in[i] + z * fb;
        if (++w == delay) w = 0;
        out[i] = y;
    }
    free(line);
}

static void reverb(synth_t *s, float wet)
{
    static const int len[NCOMB] = { 1116, 1188, 1277, 1356, 1422, 1491, 1557, 1617 };
    float *tail[2 * NCOMB];
    const size_t n = s->nframes;
    for (int i = 0; i < 2 * NCOMB; i++) tail[i] = need(malloc(n * sizeof(float)));
    /* OMP: parallel for schedule(dynamic,1) */
    for (int i = 0; i < 2 * NCOMB; i++) {
        int ch = i / NCOMB;
        comb(s->out[ch], tail[i], n, len[i % NCOMB] + 23 * ch, 0.84f, 0.2f);
    }
    for (int ch = 0; ch < 2; ch++) {
        float *o = s->out[ch];
        unsigned long over = 0;
        /* OMP: parallel for schedule(static) reduction(+:over) */
        for (size_t k = 0; k < n; k++) {
            float acc = 0.0f;
            for (int c = 0; c < NCOMB; c++) acc += tail[ch * NCOMB + c][k];
            o[k] = tanhf(o[k] + wet * acc);
            if (fabsf(o[k]) > 0.5f) over++;
        }
        s->clipped += over;
    }
    for (int i = 0; i < 2 * NCOMB; i++) free(tail[i]);
}

static double goertzel(const float *x, size_t n, double f)
{
    double c = 2.0 * cos(2.0 * M_PI * f / SR), s1 = 0.0, s2 = 0.0;
    while (n--) {
        double s0 = *x++ + c * s1 - s2;
        s2 = s1; s1 = s0;
    }
    return s1 * s1 + s2 * s2 - c * s1 * s2;
}
static int cmp_event(const void *a, const void *b)
{
    const event_t *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 18.0;
    int nbands = argc > 2 ? atoi(argv[2]) : 96;
    if (!(seconds > 0.0) || nbands < 1 || nbands > 1024) {
        fprintf(stderr, "usage: %s [seconds [bands]]\n", argv[0]);
        return 1;
    }
    synth_t s = { .nvoices = NVOICES, .nframes = (size_t)(seconds * SR) };
    for (int i = 0; i <= TABSIZE; i++) sine_tab[i] = (float)sin(2.0 * M_PI * i / TABSIZE);
    s.voices = need(calloc(s.nvoices, sizeof *s.voices));
    for (int i = 0; i < s.nvoices; i++) s.voices[i].buf = need(calloc(BLOCK, sizeof(float)));
    for (int ch = 0; ch < 2; ch++) s.out[ch] = need(calloc(s.nframes, sizeof(float)));

    size_t nev = (size_t)(seconds * 40.0) + 1, next = 0;
    event_t *ev = need(malloc(nev * sizeof *ev));
    for (size_t i = 0; i < nev; i++)
        ev[i] = (event_t){ urand() % s.nframes, 33 + (int)(urand() % 48), 12000 + urand() % 60000,
                           frand(0.3f, 1.0f), (int)(urand() % NPATCH) };
    qsort(ev, nev, sizeof *ev, cmp_event);

    unsigned long work = 0, vclip = 0;
    for (size_t pos = 0; pos < s.nframes; pos += BLOCK) {
        int n = s.nframes - pos < BLOCK ? (int)(s.nframes - pos) : BLOCK;
        for (; next < nev && ev[next].start < pos + n; next++)
            voice_start(pick_voice(&s), &ev[next], s.clock + 1);
        work += render_block(&s, pos, n);
    }
    for (int i = 0; i < s.nvoices; i++) vclip += s.voices[i].nclip;
    reverb(&s, 0.03f);

    double *band = need(malloc(nbands * sizeof *band)), sum = 0.0;
    /* OMP: parallel for schedule(static) */
    for (int b = 0; b < nbands; b++)
        band[b] = goertzel(s.out[b & 1], s.nframes, 55.0 * pow(2.0, 7.0 * b / nbands));
    int loud = 0;
    for (int b = 0; b < nbands; b++) { sum += band[b]; if (band[b] > band[loud]) loud = b; }
    float peak = 0.0f;
    size_t at = 0;
    double rms = 0.0;
    for (size_t k = 0; k < s.nframes; k++) {
        float m = fmaxf(fabsf(s.out[0][k]), fabsf(s.out[1][k]));
        rms += s.out[0][k] * s.out[0][k] + s.out[1][k] * s.out[1][k];
        if (m > peak) { peak = m; at = k; }
    }
    printf("rendered %lu voice samples, stolen %lu, voice clips %lu, hot %lu\n", work, s.stolen, vclip, s.clipped);
    printf("rms %.6e peak %.6e at %zu\n", sqrt(rms / (2.0 * s.nframes)), peak, at);
    printf("bands %.6e loudest %d\n", sum, loud);
    return 0;
}

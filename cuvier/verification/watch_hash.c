/* Hashes of what kernels leave behind. */
#include "watch_parts.h"

#include <string.h>

static unsigned long long mix(unsigned long long hash, unsigned long long word)
{
    hash = (hash ^ word) * 0x9E3779B97F4A7C15ull;
    return hash ^ (hash >> 29);
}

static unsigned long long load(const char *data, size_t bytes)
{
    unsigned long long word = 0;
    memcpy(&word, data, bytes < sizeof word ? bytes : sizeof word);
    return word;
}

/* The part of a number that has meaning: x86's long double is padded. */
static size_t significant(int kind, size_t bytes)
{
    return (kind == 'l' || kind == 'L') && sizeof(long double) == 16 && bytes == 16 ? 10 : bytes;
}

static int is_nan(int kind, const char *data)
{
    float f;
    double d;
    long double l;
    switch (kind) {
    case 'f': case 'F': memcpy(&f, data, sizeof f); return f != f;
    case 'd': case 'D': memcpy(&d, data, sizeof d); return d != d;
    case 'l': case 'L': memcpy(&l, data, sizeof l); return l != l;
    default: return 0;
    }
}

/* A hash of doubles or of integers, which are most of what there is. */
static unsigned long long hash_words(unsigned long long hash, const char *data, size_t count, int doubles)
{
    for (size_t k = 0; k < count; k++) {
        unsigned long long word;
        memcpy(&word, data + 8 * k, sizeof word);
        if (doubles && (word & ~(1ull << 63)) > 0x7FF0000000000000ull)
            word = 0x7FF8;
        hash = mix(hash, word);
    }
    return hash;
}

/* A hash of the values: all NaNs are one value, padding counts for nothing. */
unsigned long long hash_of(int kind, size_t element, const char *data, size_t bytes)
{
    unsigned long long hash = mix(0x243F6A8885A308D3ull, bytes);
    size_t number = kind == 'F' || kind == 'D' || kind == 'L' ? element / 2 : element;
    size_t step = strchr("fdlFDL", kind) ? number : sizeof hash;
    size_t used = significant(kind, step), at = 0;
    if (!strchr("flFL", kind) && step == 8) {
        hash = hash_words(hash, data, bytes / 8, kind == 'd' || kind == 'D');
        at = bytes / 8 * 8;
    }
    for (; at < bytes; at += step) {
        size_t left = bytes - at < used ? bytes - at : used;
        if (is_nan(kind, data + at)) {
            hash = mix(hash, 0x7FF8);
            continue;
        }
        hash = mix(hash, load(data + at, left));
        if (left > sizeof hash)
            hash = mix(hash, load(data + at + sizeof hash, left - sizeof hash));
    }
    return hash;
}

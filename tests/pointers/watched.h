/* For the analyser, W is a write; executed, it tells where the pointer leads: to which object, and whether to its start. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#ifndef WATCHED
#define W(k, pointer, i) (pointer)[i] = k
#define ENTER
#define OBJECT(x)
#else
#include <stdio.h>
struct range { char *at; size_t size; int number; };
static struct range ranges_[200000];
static int known_, runs_;
static void object_(void *at, size_t size)
{
    if (known_ < 200000) {
        ranges_[known_] = (struct range){at, size, known_};
        known_++;
    }
}
static void *fresh_(size_t size, const void *old, size_t of_old)
{
    void *made = calloc(size + 64, 1); /* never given back: an address means one object */
    if (old)
        memcpy(made, old, of_old);
    object_(made, size);
    return made;
}
static size_t size_(const void *old)
{
    for (int i = known_ - 1; i >= 0; i--)
        if (ranges_[i].at == old)
            return ranges_[i].size;
    return 0;
}
static void *again_(void *old, size_t size)
{
    size_t had = size_(old);
    return fresh_(size, old, had < size ? had : size);
}
static void touched_(int probe, int run, const void *at)
{
    for (int i = known_ - 1; i >= 0; i--)
        if ((const char *)at >= ranges_[i].at && (const char *)at < ranges_[i].at + ranges_[i].size) {
            printf("%d %d %d %d\n", probe, run, ranges_[i].number, (const char *)at == ranges_[i].at);
            return;
        }
}
#define W(k, pointer, i) touched_(k, run_, pointer)
#define ENTER int run_ = ++runs_; if (runs_ > 400) exit(0);
#define OBJECT(x) object_(&(x), sizeof(x));
#define malloc(n) fresh_(n, NULL, 0)
#define calloc(n, s) fresh_((size_t)(n) * (s), NULL, 0)
#define realloc(p, n) again_(p, n)
#define free(p) ((void)(p))
#endif

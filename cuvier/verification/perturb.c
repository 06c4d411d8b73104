/* Linked into the original program, to find out how far rounding reaches: within the kernels that may round in
 * another way on a device, mathematical functions return results that are off by as much as devices may be (the
 * bounds of OpenCL for full profiles, which those of CUDA are within), and sums are rounded in another direction.
 *
 * CUVIER_PERTURB is "SEED WHAT SCALE": which errors are chosen, whether those of functions (1), of sums (2) or both
 * (3), and by how much the errors of functions are made larger. */
#include <fenv.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS = 1, SUMS = 2, EVERYWHERE = 4 };

static unsigned seed, wanted;
static double scale = 1;
static int inside, everywhere;

__attribute__((constructor(102))) static void start(void)
{
    const char *text = getenv("CUVIER_PERTURB");
    if (text && sscanf(text, "%u %u %lf", &seed, &wanted, &scale) < 2)
        wanted = 0;
}

/* Sums are rounded in another direction from here on, or no longer. */
void cuvier_perturb_sums(int on)
{
    static const int directions[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    if (wanted & SUMS)
        fesetround(on || everywhere ? directions[seed % 3] : FE_TONEAREST);
}

/* A kernel with inexact functions or reordered sums begins; 0: one has ended. */
void cuvier_perturb(int what)
{
    everywhere |= what & EVERYWHERE;
    __atomic_store_n(&inside, what & FUNCTIONS & (int)wanted, __ATOMIC_RELAXED);
    cuvier_perturb_sums(what & SUMS);
}

/* An error between -1 and 1, but not near 0: the same whenever a function is called with the same arguments, as
 * devices make it. */
static double error_for(double x, double y)
{
    uint64_t a, b;
    memcpy(&a, &x, sizeof a);
    memcpy(&b, &y, sizeof b);
    a = (a ^ (b << 1) ^ ((uint64_t)seed << 32)) * 0x9E3779B97F4A7C15ull;
    a = (a ^ (a >> 29)) * 0xBF58476D1CE4E5B9ull;
    double size = 0.25 + 0.75 * (double)(a >> 12 & 0xFFFFFFFF) / 4294967296.0;
    return a >> 60 & 1 ? size : -size;
}

/* `value` with an error of up to `ulps` units of a number that has a spacing of `epsilon` at 1. */
static long double off(long double value, double ulps, double epsilon, double x, double y)
{
    if (!__atomic_load_n(&inside, __ATOMIC_RELAXED) || value == 0 || !isfinite(value))
        return value;
    return value + value * (long double)(error_for(x, y) * ulps * scale * epsilon);
}

/* Results of functions that are exact by definition: of 0, and those of `pow` with 1. */
static int is_exact(const char *name, double x, double y)
{
    if (!strcmp(name, "pow"))
        return x == 1 || y == 0 || y == 1;
    return x == 0 && strcmp(name, "atan2") && strcmp(name, "hypot");
}

/* Some cannot be outside of -1 and 1. */
static long double bounded(const char *name, long double value)
{
    if (strcmp(name, "sin") && strcmp(name, "cos") && strcmp(name, "tanh") && strcmp(name, "erf"))
        return value;
    return value > 1 ? 1 : value < -1 ? -1 : value;
}

static long double inexact(const char *name, long double value, double ulps, double epsilon, double x, double y)
{
    return is_exact(name, x, y) ? value : bounded(name, off(value, ulps, epsilon, x, y));
}

#define EPSILON(T) _Generic((T)0, float: 1.1920929e-7, default: 2.220446e-16)
#define ONE(T, name, symbol, ulps)                                                                               \
    T __real_##symbol(T);                                                                                        \
    T __wrap_##symbol(T x);                                                                                      \
    T __wrap_##symbol(T x)                                                                                       \
    {                                                                                                            \
        return (T)inexact(#name, __real_##symbol(x), ulps, EPSILON(T), (double)x, 0);                            \
    }
#define TWO(T, name, symbol, ulps)                                                                               \
    T __real_##symbol(T, T);                                                                                     \
    T __wrap_##symbol(T x, T y);                                                                                 \
    T __wrap_##symbol(T x, T y)                                                                                  \
    {                                                                                                            \
        return (T)inexact(#name, __real_##symbol(x, y), ulps, EPSILON(T), (double)x, (double)y);                 \
    }
#define EACH(FORM, name, ulps) FORM(double, name, name, ulps) FORM(float, name, name##f, ulps)

EACH(ONE, sin, 4)
EACH(ONE, cos, 4)
EACH(ONE, tan, 5)
EACH(ONE, asin, 4)
EACH(ONE, acos, 4)
EACH(ONE, atan, 5)
EACH(ONE, sinh, 4)
EACH(ONE, cosh, 4)
EACH(ONE, tanh, 5)
EACH(ONE, asinh, 4)
EACH(ONE, acosh, 4)
EACH(ONE, atanh, 5)
EACH(ONE, exp, 3)
EACH(ONE, exp2, 3)
EACH(ONE, expm1, 3)
EACH(ONE, log, 3)
EACH(ONE, log2, 3)
EACH(ONE, log10, 3)
EACH(ONE, log1p, 2)
EACH(ONE, cbrt, 2)
EACH(ONE, erf, 16)
EACH(ONE, erfc, 16)
EACH(ONE, tgamma, 16)
EACH(ONE, lgamma, 16)
EACH(TWO, atan2, 6)
EACH(TWO, pow, 16)
EACH(TWO, hypot, 4)

/* Compilers join the two. */
#define BOTH(T, symbol, sine, cosine)                                                                            \
    T __wrap_##sine(T);                                                                                          \
    T __wrap_##cosine(T);                                                                                        \
    void __wrap_##symbol(T x, T *s, T *c);                                                                       \
    void __wrap_##symbol(T x, T *s, T *c)                                                                        \
    {                                                                                                            \
        *s = __wrap_##sine(x);                                                                                   \
        *c = __wrap_##cosine(x);                                                                                 \
    }
BOTH(double, sincos, sin, cos)
BOTH(float, sincosf, sinf, cosf)

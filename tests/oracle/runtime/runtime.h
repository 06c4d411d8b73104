/* What an instrumented program calls: see runtime.c. */
#ifndef RUNTIME_H
#define RUNTIME_H
#define USER_DATA __attribute__((section("udata")))
#define GAP 2048 /* bytes around each object that belong to none */

enum kind { NONE, PRIVATE, LAST, LAST_WRITTEN, REDUCTION, ITERATOR, INNER, LINEAR }; /* INNER: the iterator of a base loop further in */
enum local { DIRECT = 1, INITIALISED = 2 };
enum access { READ = 1, WRITE = 2, COVERED = 4, DOMAIN = 8, EXACT = 16, KERNEL = 32, WHOLE = 64 };
enum loop_flags { HAS_STEP = 1, OPENMP = 2 };

extern int rt_budget; /* how many events a call may have */
int rt_call(void);
void rt_return(int depth);
void rt_label(int depth);
void rt_local(void *at, unsigned long size, int flags, const char *name);
long rt_index(long index, long size);
void rt_effect(void);
void rt_undefined(const char *why);

void rt_enter(int loop, int flags);
void rt_begin(void);
void rt_next(void);
void rt_iterate(long value);
void rt_end(void);
void rt_leave(int depth);

void rt_claimed(void);
void rt_kernel(void);
void rt_flag(int flag);
void rt_nonempty(void);
void rt_base(int loop, int has_trips, long trips, int rectangular);
void rt_range(int kind, void *at, unsigned long size);
void rt_linear(void *at, int tag, int has_step, long step);
void rt_with(void *at, unsigned long size, int keeps_last);
void rt_scalar(void *at, unsigned long size);
void rt_reduce(int op, int tag, void *at, unsigned long size, int dimensions, ...);
void rt_box(int flags, int name, void *at, int dimensions, ...);

void *rt_memcpy(void *to, const void *from, unsigned long size);
void *rt_memset(void *to, int value, unsigned long size);
void *rt_malloc(unsigned long size);
void *rt_calloc(unsigned long count, unsigned long size);
void rt_free(void *at);

void *rt_buffer(const char *name, unsigned long size, int tag);
void rt_fill(void *at, int tag, long count, int seed, int most);
void rt_global(const char *name, void *at, unsigned long size, int tag);
void rt_result(double value);
struct rt_function { void (*call)(int how); int calls; };
int rt_main(const struct rt_function *functions, int count, void (*globals)(void), int loops);

#define rt_min(a, b) ((a) < (b) ? (a) : (b))
#define rt_max(a, b) ((a) > (b) ? (a) : (b))
int abs(int);
long labs(long);
#define MATH1(X) X(fabs) X(sqrt) X(floor) X(ceil) X(exp) X(log) X(sin) X(cos) X(tan) X(atan) X(cbrt) X(exp2) X(log2) \
    X(log10) X(sinh) X(cosh) X(tanh) X(round) X(trunc)
#define MATH2(X) X(fmax) X(fmin) X(pow) X(atan2) X(fmod) X(hypot)
#define ONE(f) double f(double); float f##f(float);
#define TWO(f) double f(double, double); float f##f(float, float);
MATH1(ONE)
MATH2(TWO)

/* `rd` reads a variable itself, `rv` through a pointer; the second argument is the operator of an update. */
#define TYPES(X) X(b, _Bool) X(c, signed char) X(C, unsigned char) X(s, short) X(S, unsigned short) \
    X(i, int) X(I, unsigned) X(l, long) X(L, unsigned long) X(f, float) X(d, double) X(p, void *)
#define DECLARE(t, T) T rd_##t(T *at, int op); T rv_##t(T *at, int op); \
    T wr_##t(T *at, T value, int op); T wv_##t(T *at, T value, int op);
TYPES(DECLARE)
#define TAG(x) _Generic((x), _Bool: 'b', char: 'c', signed char: 'c', unsigned char: 'C', short: 's', \
    unsigned short: 'S', int: 'i', unsigned: 'I', long: 'l', unsigned long: 'L', long long: 'l', \
    unsigned long long: 'L', float: 'f', double: 'd', default: 0)
#endif

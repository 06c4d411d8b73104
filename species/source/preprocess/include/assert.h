/* The headers here declare what the C standard does, for machines without a compiler (LP64). */
#undef assert
#ifdef NDEBUG
#define assert(holds) ((void)0)
#else
void __assert_fail(const char *, const char *, unsigned, const char *) __attribute__((noreturn));
#define assert(holds) ((holds) ? (void)0 : __assert_fail(#holds, __FILE__, __LINE__, __func__))
#endif
#define static_assert _Static_assert

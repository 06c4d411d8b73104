/* A number of so many bytes, `size`, which is negative where it has no sign. */
static inline long long cuvier_number(const char *at, long size)
{
    switch (size) {
    case 1:
        return *(const signed char *)at;
    case -1:
        return *(const unsigned char *)at;
    case 2:
        return *(const short *)at;
    case -2:
        return *(const unsigned short *)at;
    case 4:
        return *(const int *)at;
    case -4:
        return *(const unsigned *)at;
    default:
        return *(const long long *)at;
    }
}
/* Is each of `count` numbers, `stride` bytes apart, and some more no less than the one that goes with it? */
static int cuvier_in_order(const void *numbers, long stride, long size, const void *others, long stride2, long size2,
                           long more, long count)
{
    const char *one = (const char *)numbers, *other = (const char *)others;
    long k;
    for (k = 0; k < count; k++, one += stride, other += stride2)
        if (cuvier_number(one, size) + more < cuvier_number(other, size2))
            return 0;
    return 1;
}

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

/* The least (`sign` 1) or greatest (-1) of `count` numbers, `stride` bytes apart; else 0. */
/* Where the numbers have lengths, those count whose lengths are positive. */
static long long cuvier_extreme(int sign, const void *numbers, long stride, long size, const void *lengths,
                                long stride2, long size2, long count)
{
    typedef int __attribute__((__may_alias__)) cuvier_int;
    const char *at = (const char *)numbers, *length = (const char *)lengths;
    long long found = 0, number;
    long k, none = 1;
    if (!length && size == sizeof(int) && stride == size && count > 0) { /* side by side: in vectors */
        const cuvier_int *all = (const cuvier_int *)numbers;
        int best = all[0];
        for (k = 1; sign > 0 && k < count; k++)
            best = all[k] < best ? all[k] : best;
        for (k = 1; sign < 0 && k < count; k++)
            best = all[k] > best ? all[k] : best;
        return best;
    }
    for (k = 0; k < count; k++) {
        if (length && cuvier_number(length + k * stride2, size2) <= 0)
            continue;
        number = cuvier_number(at + k * stride, size);
        found = none || (sign > 0 ? number < found : number > found) ? number : found;
        none = 0;
    }
    return found;
}

/* The greatest of `count` numbers, `stride` bytes apart, of those whose lengths are positive if they have any; else 0. */
static long long cuvier_greatest(const void *numbers, long stride, long size, const void *lengths, long stride2,
                              long size2, long count)
{
    const char *at = (const char *)numbers, *length = (const char *)lengths;
    long long found = 0, number;
    long k, none = 1;
    for (k = 0; k < count; k++) {
        if (length && cuvier_number(length + k * stride2, size2) <= 0)
            continue;
        number = cuvier_number(at + k * stride, size);
        found = none || number > found ? number : found;
        none = 0;
    }
    return found;
}

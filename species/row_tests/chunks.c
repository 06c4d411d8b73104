/* Do chunks of positive lengths follow one another: each start, `stride` bytes apart, at or behind the end before it? */
static int cuvier_chunks_apart(const void *starts, long stride, long size, const void *lengths, long stride2,
                               long size2, long count)
{
    long long end = -__LONG_LONG_MAX__ - 1, begin, length;
    long k;
    for (k = 0; k < count; k++) {
        length = cuvier_number((const char *)lengths + k * stride2, size2);
        if (length <= 0)
            continue;
        begin = cuvier_number((const char *)starts + k * stride, size);
        if (begin < end || __builtin_add_overflow(begin, length, &end))
            return 0;
    }
    return 1;
}

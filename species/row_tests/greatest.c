static long long cuvier_greatest(const void *numbers, long stride, long size, const void *lengths, long stride2,
                                 long size2, long count)
{
    return cuvier_extreme(-1, numbers, stride, size, lengths, stride2, size2, count);
}

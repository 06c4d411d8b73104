/* The same for pointers in the elements of a table, which are so many bytes apart (0: a table of pointers, or memory). */
/* Where there are `lengths`, `step` bytes apart and of `size` bytes, negative with a sign, `high` is added to that of a row. */
static struct cuvier_rows cuvier_members_of(const void *table, long stride, const void *lengths, long step, long size,
                                            long first, long last, long low, long high, long bytes)
{
    struct cuvier_rows found = cuvier_rows_of(table, first, last, low, high, bytes);
    found.stride = stride ? stride : found.stride;
    found.lengths = lengths, found.step = step, found.size = size;
    return found;
}
static int cuvier_members_apart(const void *table, long stride, const void *lengths, long step, long size, long first, long last,
                                long low, long high, long bytes, const void *second, long stride2, const void *lengths2,
                                long step2, long size2, long first2, long last2, long low2, long high2, long bytes2)
{
    const struct cuvier_rows all = cuvier_members_of(table, stride, lengths, step, size, first, last, low, high, bytes);
    const struct cuvier_rows others =
        cuvier_members_of(second, stride2, lengths2, step2, size2, first2, last2, low2, high2, bytes2);
    return cuvier_rows_tested(&all, second ? &others : 0);
}

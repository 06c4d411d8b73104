/* Cells, each read and written once, that rows with lengths must have on average to be tested, and that many times in sum: */
/* fewer are used sooner than they are tested, and than threads start. */
enum { cuvier_short = 64 };
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
/* Are rows with lengths long enough, if each cell is used `work` times?  Some of them tell. */
static int cuvier_rows_long(const struct cuvier_rows *all, long work)
{
    const long step = all->count / 256 | 1; /* odd: rows often differ by turns */
    const unsigned long long least = (unsigned long long)all->bytes * cuvier_short;
    unsigned long long used = 0, seen = 0;
    long k;
    if (!all->lengths)
        return 1;
    for (k = 0; k < all->count; k += step, seen++) {
        const struct cuvier_span row = cuvier_row(all, k);
        used += (row.end - row.start) * (unsigned long long)work;
    }
    return used >= least * seen && used * (unsigned long long)step >= least * cuvier_short;
}
static int cuvier_members_apart(const void *table, long stride, const void *lengths, long step, long size, long work, long first,
                                long last, long low, long high, long bytes, const void *second, long stride2,
                                const void *lengths2, long step2, long size2, long work2, long first2, long last2, long low2,
                                long high2, long bytes2)
{
    const struct cuvier_rows all = cuvier_members_of(table, stride, lengths, step, size, first, last, low, high, bytes);
    const struct cuvier_rows others =
        cuvier_members_of(second, stride2, lengths2, step2, size2, first2, last2, low2, high2, bytes2);
    return cuvier_rows_long(&all, work) && cuvier_rows_long(&others, work2) && cuvier_rows_tested(&all, second ? &others : 0);
}

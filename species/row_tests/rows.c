/* Are the rows from `first` to `last` of a table apart, or from those of another, in the cells from `low` to `high`? */
static int cuvier_rows_apart(const void *table, long first, long last, long low, long high, unsigned long bytes,
                             const void *second, long first2, long last2, long low2, long high2, unsigned long bytes2)
{
    struct cuvier_rows all = { 0, 0, 0, 0, 0, 0, 0 }, others = { 0, 0, 0, 0, 0, 0, 0 };
    all.table = table, all.first = first, all.count = last - first + 1;
    all.begin = low * (long)bytes, all.end = (high + 1) * (long)bytes;
    others.table = second, others.first = first2, others.count = last2 - first2 + 1;
    others.begin = low2 * (long)bytes2, others.end = (high2 + 1) * (long)bytes2;
    return cuvier_rows_tested(&all, second ? &others : 0);
}

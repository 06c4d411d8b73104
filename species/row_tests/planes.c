/* Of the tables from `from` to `to` in a table; with a negative number of bytes, or none, of a table, or memory, itself. */
static struct cuvier_rows cuvier_planes_of(const void *table, long from, long to, long first, long last, long low, long high,
                                           long bytes)
{
    struct cuvier_rows found = cuvier_rows_of(table, first, last, low, high, bytes < 0 ? -bytes : bytes);
    if (bytes > 0) {
        found.from = from, found.rows = found.count;
        found.count = from <= to && found.rows > 0 ? (to - from + 1) * found.rows : 0;
    }
    return found;
}
static int cuvier_planes_apart(const void *table, long from, long to, long first, long last, long low, long high, long bytes,
                               const void *second, long from2, long to2, long first2, long last2, long low2, long high2,
                               long bytes2)
{
    const struct cuvier_rows all = cuvier_planes_of(table, from, to, first, last, low, high, bytes);
    const struct cuvier_rows others = cuvier_planes_of(second, from2, to2, first2, last2, low2, high2, bytes2);
    return cuvier_rows_tested(&all, second ? &others : 0);
}

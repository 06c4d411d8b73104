/* The same of tables from `from` to `to` in a table. */
static int cuvier_planes_apart(const void *table, long from, long to, long first, long last, long low, long high, unsigned long bytes,
                               const void *second, long from2, long to2, long first2, long last2, long low2, long high2,
                               unsigned long bytes2)
{
    struct cuvier_rows all = { 0, 0, 0, 0, 0, 0, 0 }, others = { 0, 0, 0, 0, 0, 0, 0 };
    all.table = table, all.from = from, all.rows = last - first + 1, all.first = first;
    all.count = from <= to && all.rows > 0 ? (to - from + 1) * all.rows : 0;
    all.begin = low * (long)bytes, all.end = (high + 1) * (long)bytes;
    others.table = second, others.from = from2, others.rows = last2 - first2 + 1, others.first = first2;
    others.count = from2 <= to2 && others.rows > 0 ? (to2 - from2 + 1) * others.rows : 0;
    others.begin = low2 * (long)bytes2, others.end = (high2 + 1) * (long)bytes2;
    return cuvier_rows_tested(&all, second ? &others : 0);
}

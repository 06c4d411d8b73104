/* Are the rows of a table apart, or from those of another one? */
static int cuvier_rows_apart(const void *table, long first, long last, long low, long high, long bytes, const void *second,
                             long first2, long last2, long low2, long high2, long bytes2)
{
    const struct cuvier_rows all = cuvier_rows_of(table, first, last, low, high, bytes);
    const struct cuvier_rows others = cuvier_rows_of(second, first2, last2, low2, high2, bytes2);
    return cuvier_rows_tested(&all, second ? &others : 0);
}

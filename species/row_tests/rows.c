/* From `first` to `last`, in the cells from `low` to `high`, of so many bytes; 0: the memory itself, of single ones. */
static struct cuvier_rows cuvier_rows_of(const void *table, long first, long last, long low, long high, long bytes)
{
    struct cuvier_rows found = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
    found.table = table, found.stride = (long)sizeof table, found.plain = bytes == 0;
    found.first = first, found.count = last < first ? 0 : last - first + 1;
    found.bytes = bytes ? bytes : 1, found.begin = low * found.bytes, found.end = (high + 1) * found.bytes;
    return found;
}

/* Rows of a table from `first` on, so many; where `rows` is not 0, of the tables in one from `from` on, so many of each. */
/* Pointers of the table are `stride` bytes apart.  Of each row, the bytes from `begin` to `end`, and as many cells more as */
/* its number in `lengths` says, if that is there.  Where `plain`, the memory itself; where there are `spans`, these. */
struct cuvier_span {
    unsigned long long start, end;
};
struct cuvier_rows {
    const void *table, *lengths;
    const struct cuvier_span *spans;
    long stride, step, size, plain, from, rows, first, count, begin, end, bytes;
};
static void cuvier_read(void *found, const void *table, long bytes, unsigned long size)
{
    unsigned long b;
    for (b = 0; b < size; b++)
        ((char *)found)[b] = ((const char *)table)[bytes + (long)b];
}
static const char *cuvier_pointer(const void *table, long bytes)
{
    const char *found;
    cuvier_read(&found, table, bytes, sizeof found);
    return found;
}
/* A number of so many bytes; it has a sign where the size does. */
static long long cuvier_length(const void *table, long bytes, long size)
{
    long long wide;
    unsigned narrow;
    int with_sign;
    if (size == 8 || size == -8) {
        cuvier_read(&wide, table, bytes, sizeof wide);
        return wide;
    }
    cuvier_read(&narrow, table, bytes, sizeof narrow);
    cuvier_read(&with_sign, table, bytes, sizeof with_sign);
    return size > 0 ? (long long)narrow : (long long)with_sign;
}
static struct cuvier_span cuvier_row(const struct cuvier_rows *all, long k)
{
    struct cuvier_span found = { 0, 0 };
    long long more = 0;
    if (all->spans)
        return all->spans[k];
    if (all->lengths) {
        const long long most = 1LL << 40; /* no memory has as many cells */
        more = cuvier_length(all->lengths, (all->first + k) * all->step, all->size);
        more = (more < -most ? -most : more > most ? most : more) * all->bytes;
    }
    if (all->begin >= all->end + more)
        return found;
    if (all->plain)
        found.start = (unsigned long long)all->table;
    else if (all->rows)
        found.start = (unsigned long long)cuvier_pointer(cuvier_pointer(all->table, (all->from + k / all->rows) * all->stride),
                                                         (all->first + k % all->rows) * all->stride);
    else
        found.start = (unsigned long long)cuvier_pointer(all->table, (all->first + k) * all->stride);
    found.end = found.start + (unsigned long long)(all->end + more);
    found.start += (unsigned long long)all->begin;
    return found;
}
/* The next row that has cells; its number is `count` or more, or negative, behind the last. */
static long cuvier_next(const struct cuvier_rows *all, long k, int step, struct cuvier_span *row)
{
    for (k += step; k >= 0 && k < all->count; k += step) {
        *row = cuvier_row(all, k);
        if (row->start != row->end)
            break;
    }
    return k;
}
/* Do they stand in order?  1: upwards, -1: downwards, 0: in none.  If so, are they `apart`? */
static int cuvier_rows_order(const struct cuvier_rows *all, int *apart)
{
    struct cuvier_span row = { 0, 0 }, last = row;
    int up = 1, down = 1, above = 1, below = 1;
    long k = cuvier_next(all, -1, 1, &last);
    while ((k = cuvier_next(all, k, 1, &row)) < all->count && (up || down)) {
        up = up && last.start <= row.start;
        down = down && last.start >= row.start;
        above = above && last.end <= row.start;
        below = below && last.start >= row.end;
        last = row;
    }
    *apart = up ? above : below;
    return up ? 1 : -down;
}
/* Do no two of them overlap, or none with one of others?  -1 where they stand in no order. */
static int cuvier_rows_test(const struct cuvier_rows *all, const struct cuvier_rows *others)
{
    struct cuvier_span row = { 0, 0 }, other = row;
    int apart = 1, step = cuvier_rows_order(all, &apart), step2 = 1;
    long k, k2;
    if (!others)
        return step ? apart : -1;
    step2 = cuvier_rows_order(others, &apart);
    if (!step || !step2)
        return -1;
    k = cuvier_next(all, step > 0 ? -1 : all->count, step, &row);
    k2 = cuvier_next(others, step2 > 0 ? -1 : others->count, step2, &other);
    while (k >= 0 && k < all->count && k2 >= 0 && k2 < others->count)
        if (row.end <= other.start)
            k = cuvier_next(all, k, step, &row);
        else if (other.end <= row.start)
            k2 = cuvier_next(others, k2, step2, &other);
        else
            return 0;
    return 1;
}

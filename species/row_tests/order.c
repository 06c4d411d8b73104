/* Rows of a table from `first` on, so many; where `rows` is not 0, of the tables in one from `from` on, so many of each. */
/* Where `plain`, the memory itself.  Each line of a comment is one, so that it can be marked. */
struct cuvier_rows {
    const void *table;
    long plain, from, rows, first, count, begin, end; /* of each row, the bytes from `begin` to `end` */
};
static const char *cuvier_pointer(const void *table, long k)
{
    const char *found, *at = (const char *)table + k * (long)sizeof found;
    unsigned long b;
    for (b = 0; b < sizeof found; b++)
        ((char *)&found)[b] = at[b];
    return found;
}
static unsigned long long cuvier_row_start(const struct cuvier_rows *all, long k)
{
    if (all->plain)
        return (unsigned long long)all->table;
    if (all->rows)
        return (unsigned long long)cuvier_pointer(cuvier_pointer(all->table, all->from + k / all->rows), all->first + k % all->rows);
    return (unsigned long long)cuvier_pointer(all->table, all->first + k);
}
/* Do they stand in order?  1: upwards, -1: downwards, 0: in none. */
static int cuvier_rows_order(const struct cuvier_rows *all)
{
    int up = 1, down = 1;
    long k;
    for (k = 1; k < all->count && (up || down); k++) {
        up = up && cuvier_row_start(all, k - 1) <= cuvier_row_start(all, k);
        down = down && cuvier_row_start(all, k - 1) >= cuvier_row_start(all, k);
    }
    return up ? 1 : -down;
}
/* Do no two of them overlap, or none with one of others?  -1 where they stand in no order. */
static int cuvier_rows_test(const struct cuvier_rows *all, const struct cuvier_rows *others)
{
    int step, step2;
    long k, k2, left = all->count, left2 = others ? others->count : 0;
    if (left <= 0 || all->begin >= all->end || (others && (left2 <= 0 || others->begin >= others->end)))
        return 1;
    step = cuvier_rows_order(all);
    step2 = others ? cuvier_rows_order(others) : 1;
    if (!step || !step2)
        return -1;
    k = step > 0 ? 0 : left - 1;
    k2 = step2 > 0 ? 0 : left2 - 1;
    if (!others)
        for (; left > 1; left--, k += step)
            if (cuvier_row_start(all, k) + all->end > cuvier_row_start(all, k + step) + all->begin)
                return 0;
    while (left > 0 && left2 > 0)
        if (cuvier_row_start(all, k) + all->end <= cuvier_row_start(others, k2) + others->begin)
            k += step, left--;
        else if (cuvier_row_start(others, k2) + others->end <= cuvier_row_start(all, k) + all->begin)
            k2 += step2, left2--;
        else
            return 0;
    return 1;
}

static unsigned long long cuvier_row(const void *table, long k)
{
    char *row;
    const char *from = (const char *)table + k * (long)sizeof row;
    unsigned long b;
    for (b = 0; b < sizeof row; b++)
        ((char *)&row)[b] = from[b];
    return (unsigned long long)row;
}
/* Do a table's rows stand in order?  1: upwards, -1: downwards, 0: in none */
static int cuvier_rows_order(const void *table, long first, long last)
{
    int up = 1, down = 1;
    for (; first < last && (up || down); first++) {
        up = up && cuvier_row(table, first) <= cuvier_row(table, first + 1);
        down = down && cuvier_row(table, first) >= cuvier_row(table, first + 1);
    }
    return up ? 1 : -down;
}
/* Do no two rows overlap, cells from `low` to `high`, of one table, or one of each of two?  0 where they are in no order */
static int cuvier_rows_apart(const void *table, long first, long last, long low, long high, unsigned long bytes,
                             const void *second, long first2, long last2, long low2, long high2, unsigned long bytes2)
{
    const long begin = low * (long)bytes, end = (high + 1) * (long)bytes;
    const long begin2 = low2 * (long)bytes2, end2 = (high2 + 1) * (long)bytes2;
    long one, other, left = last - first, left2 = last2 - first2;
    int step, step2;
    if (left < 0 || low > high || (second && (left2 < 0 || low2 > high2)))
        return 1;
    step = cuvier_rows_order(table, first, last);
    step2 = second ? cuvier_rows_order(second, first2, last2) : 1;
    one = step > 0 ? first : last;
    other = step2 > 0 ? first2 : last2;
    if (!second)
        for (; step && left > 0 && cuvier_row(table, one) + end <= cuvier_row(table, one + step) + begin; left--)
            one += step;
    if (!second || !step || !step2)
        return !second && step && left == 0;
    while (left >= 0 && left2 >= 0)
        if (cuvier_row(table, one) + end <= cuvier_row(second, other) + begin2)
            one += step, left--;
        else if (cuvier_row(second, other) + end2 <= cuvier_row(table, one) + begin)
            other += step2, left2--;
        else
            return 0;
    return 1;
}

#include <stdlib.h>

static int cuvier_rows_compare(const void *one, const void *other)
{
    const unsigned long long a = (unsigned long long)*(char *const *)one, b = (unsigned long long)*(char *const *)other;
    return a < b ? -1 : a > b;
}

/* The rows as one table in order; its `table` is NULL if there is no memory for it. */
static struct cuvier_rows cuvier_rows_sorted(const struct cuvier_rows *all)
{
    struct cuvier_rows found = *all;
    char **rows = (char **)malloc((size_t)all->count * sizeof *rows);
    for (long k = 0; rows && k < all->count; k++)
        rows[k] = (char *)cuvier_row_start(all, k);
    if (rows)
        qsort(rows, (size_t)all->count, sizeof *rows, cuvier_rows_compare);
    found.table = rows;
    found.plain = found.rows = found.first = 0;
    return found;
}

static int cuvier_rows_tested(const struct cuvier_rows *all, const struct cuvier_rows *others)
{
    int apart = cuvier_rows_test(all, others);
    if (apart < 0) {
        const struct cuvier_rows first = cuvier_rows_sorted(all), second = cuvier_rows_sorted(others ? others : all);
        if (first.table && second.table)
            apart = cuvier_rows_test(&first, others ? &second : NULL);
        free((void *)first.table);
        free((void *)second.table);
    }
    return apart > 0;
}


#include <stdlib.h>

static int cuvier_rows_compare(const void *one, const void *other)
{
    const struct cuvier_span *a = (const struct cuvier_span *)one, *b = (const struct cuvier_span *)other;
    return a->start < b->start ? -1 : a->start > b->start;
}

/* The rows in order; there are no `spans` if there is no memory for them. */
static struct cuvier_rows cuvier_rows_sorted(const struct cuvier_rows *all)
{
    struct cuvier_rows found = *all;
    struct cuvier_span *rows = (struct cuvier_span *)malloc((size_t)(all->count + 1) * sizeof *rows);
    long k = -1;
    found.count = 0;
    while (rows && (k = cuvier_next(all, k, 1, &rows[found.count])) < all->count)
        found.count++;
    if (rows)
        qsort(rows, (size_t)found.count, sizeof *rows, cuvier_rows_compare);
    found.spans = rows;
    return found;
}

static int cuvier_rows_tested(const struct cuvier_rows *all, const struct cuvier_rows *others)
{
    int apart = cuvier_rows_test(all, others);
    if (apart < 0) {
        const struct cuvier_rows first = cuvier_rows_sorted(all), second = cuvier_rows_sorted(others ? others : all);
        if (first.spans && second.spans)
            apart = cuvier_rows_test(&first, others ? &second : NULL);
        free((void *)first.spans);
        free((void *)second.spans);
    }
    return apart > 0;
}

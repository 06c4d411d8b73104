/* What launches take by what was measured: the tables of `cuvier profile`, and predictions from them.
 *
 * A table has rows by the number of iterations that may run at the same time.  Each says what one iteration takes (of all that
 * the launch makes), as a line over their number for each of the parallel ones.  Between rows the seconds of an iteration are
 * interpolated.  The host has a table for each number of threads that was measured; copies have one for each direction.
 *
 * After Dollinger, A framework for efficient execution on GPU and CPU+GPU systems (PhD thesis, Strasbourg 2015): sections 4.4
 * and 4.5 (ranking tables, transfers) and 3.5.3 (threads; the formula as its example needs it).
 * models/prediction/tables.py is the same in Python. */
#ifndef CUVIER_TABLES_H
#define CUVIER_TABLES_H

#include <stddef.h>
#include <string.h>

enum { CUVIER_HOST, CUVIER_DEVICE, CUVIER_BOTH };

/* The iterations of a launch: of its outermost loop, those that may run at the same time, and all. */
typedef struct {
    double outer, parallel, work;
} cuvier_size;

/* Launches with so many `parallel` iterations take `slope * (work / parallel) + base` seconds for each of all. */
typedef struct {
    double parallel, slope, base;
} cuvier_row;

/* Rows grow.  `threads` of the host; 0: a device.  Tables of a kernel's host version follow each other, threads growing. */
typedef struct {
    const char *kernel;
    int threads;
    size_t count;
    const cuvier_row *rows;
} cuvier_table;

typedef struct {
    double bytes, seconds;
} cuvier_transfer;

/* `device`: what was measured, by its name and its driver's version. */
typedef struct {
    const char *device;
    const cuvier_table *tables;
    size_t count;
    const cuvier_transfer *to_device;
    size_t to_count;
    const cuvier_transfer *to_host;
    size_t from_count;
} cuvier_measured_tables;

/* Seconds of one iteration. */
CUVIER_FUNCTION double cuvier_rate(const cuvier_table *table, const cuvier_size *size)
{
    const double each = size->work / size->parallel;
    const cuvier_row *row = table->rows;
    size_t high = 0;
    while (high < table->count && row[high].parallel < size->parallel)
        high++;
    const size_t low = high ? high - 1 : 0, next = high < table->count ? high : table->count - 1;
    const double first = row[low].slope * each + row[low].base, last = row[next].slope * each + row[next].base;
    const double apart = row[next].parallel - row[low].parallel;
    const double rate = apart > 0 ? first + (last - first) * (size->parallel - row[low].parallel) / apart : first;
    return rate > 0 ? rate : 0;
}

/* Seconds of one iteration with so many threads, between the numbers of threads that were measured. */
CUVIER_FUNCTION double cuvier_rate_of_threads(const cuvier_table *tables, size_t count, int threads, const cuvier_size *size)
{
    size_t high = 0;
    while (high < count && tables[high].threads < threads)
        high++;
    const size_t low = high ? high - 1 : 0, next = high < count ? high : count - 1;
    const double first = cuvier_rate(&tables[low], size), last = cuvier_rate(&tables[next], size);
    const int apart = tables[next].threads - tables[low].threads;
    return apart > 0 ? first + (last - first) * (threads - tables[low].threads) / apart : first;
}

/* Seconds of threads that make `made` iterations, most first; `rates[i]`: of one iteration where i + 1 threads work. */
CUVIER_FUNCTION double cuvier_threads_seconds(const double *made, const double *rates, int threads)
{
    double seconds = 0;
    for (int i = 0; i < threads; i++)
        seconds += (i + 1) * (made[i] - (i + 1 < threads ? made[i + 1] : 0)) * rates[i];
    return seconds;
}

/* Seconds of a loop that threads share in equal parts: with iterations left over, some work longer than the others. */
CUVIER_FUNCTION double cuvier_shared_seconds(const cuvier_table *tables, size_t count, int threads, const cuvier_size *size)
{
    enum { CUVIER_LISTED_THREADS = 128 };
    double made[CUVIER_LISTED_THREADS], rates[CUVIER_LISTED_THREADS];
    if (threads > CUVIER_LISTED_THREADS || size->outer < 1)
        return size->work * cuvier_rate_of_threads(tables, count, threads, size);
    const double each = (double)(long long)(size->outer / threads), left = size->outer - each * threads;
    for (int i = 0; i < threads; i++) {
        made[i] = (each + (i < left)) * (size->work / size->outer);
        rates[i] = cuvier_rate_of_threads(tables, count, i + 1, size);
    }
    return cuvier_threads_seconds(made, rates, threads);
}

/* Seconds that so many bytes take: points grow; behind the last one as between the last two. */
CUVIER_FUNCTION double cuvier_transfer_seconds(const cuvier_transfer *points, size_t count, double bytes)
{
    size_t high = 1;
    if (count == 0 || bytes <= 0)
        return 0;
    if (count == 1 || bytes <= points[0].bytes)
        return points[0].seconds;
    while (high < count - 1 && points[high].bytes < bytes)
        high++;
    const cuvier_transfer *low = &points[high - 1], *next = &points[high];
    return low->seconds + (next->seconds - low->seconds) * (bytes - low->bytes) / (next->bytes - low->bytes);
}

/* The tables of a kernel's version, and how many there are. */
CUVIER_FUNCTION const cuvier_table *cuvier_tables_for(const cuvier_measured_tables *all, const char *kernel, int version, size_t *count)
{
    const cuvier_table *first = NULL;
    *count = 0;
    for (size_t k = 0; k < all->count; k++) {
        const cuvier_table *table = &all->tables[k];
        if (strcmp(table->kernel, kernel) == 0 && (table->threads == 0) == (version == CUVIER_DEVICE)) {
            first = first ? first : table;
            ++*count;
        }
    }
    return first;
}

#endif

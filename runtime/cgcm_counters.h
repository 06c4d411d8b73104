/* What has been copied and launched, by the names of units and kernels.  A part of cgcm.c. */
#ifndef CGCM_COUNTERS_H
#define CGCM_COUNTERS_H

typedef struct {
    const char *name, *direction;
    unsigned long count, bytes;
} cgcm_count;

typedef struct {
    cgcm_count *items;
    size_t length;
} cgcm_counts;

static struct {
    const char *path; /* NULL: nobody asked */
    int is_known;
    cgcm_counts copies, launches;
    cgcm_totals totals;
    void (*handler)(const char *unit, const char *direction, size_t bytes); /* NULL: they are counted here */
} cgcm_counted;

static void cgcm_write_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++)
        fprintf(file, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    fputc('"', file);
}

static void cgcm_write_counters(void)
{
    const cgcm_counts *copies = &cgcm_counted.copies, *launches = &cgcm_counted.launches;
    FILE *file = fopen(cgcm_counted.path, "w");
    if (file == NULL) {
        fprintf(stderr, "cgcm: CUVIER_COUNTERS=%s: cannot be written\n", cgcm_counted.path);
        return;
    }
    fprintf(file, "{\"copies\": [");
    for (size_t k = 0; k < copies->length; k++) {
        fprintf(file, "%s{\"array\": ", k ? ", " : "");
        cgcm_write_text(file, copies->items[k].name);
        fprintf(file, ", \"direction\": \"%s\", \"count\": %lu, \"bytes\": %lu}", copies->items[k].direction,
                copies->items[k].count, copies->items[k].bytes);
    }
    fprintf(file, "], \"launches\": {");
    for (size_t k = 0; k < launches->length; k++) {
        fprintf(file, "%s", k ? ", " : "");
        cgcm_write_text(file, launches->items[k].name);
        fprintf(file, ": %lu", launches->items[k].count);
    }
    fprintf(file, "}, \"waits\": %lu}\n", cgcm_counted.totals.waits);
    fclose(file);
}

/* Counts by name, if somebody asked for it; where no memory is left for a name it is left out. */
static void cgcm_count_one(cgcm_counts *counts, const char *name, const char *direction, size_t bytes)
{
    size_t k = 0;
    if (cgcm_counted.handler != NULL)
        return;
    if (!cgcm_counted.is_known) {
        cgcm_counted.is_known = 1;
        cgcm_counted.path = getenv("CUVIER_COUNTERS");
        if (cgcm_counted.path)
            atexit(cgcm_write_counters);
    }
    if (!cgcm_counted.path)
        return;
    while (k < counts->length && (strcmp(counts->items[k].name, name) || strcmp(counts->items[k].direction, direction)))
        k++;
    if (k == counts->length) {
        const cgcm_count one = {name, direction, 0, 0};
        cgcm_count *grown = (cgcm_count *)realloc(counts->items, (k + 1) * sizeof one);
        if (grown == NULL)
            return;
        counts->items = grown;
        counts->items[counts->length++] = one;
    }
    counts->items[k].count++;
    counts->items[k].bytes += bytes;
}

static void cgcm_count_copy(const char *name, const char *direction, size_t bytes)
{
    cgcm_count_one(&cgcm_counted.copies, name, direction, bytes);
    if (cgcm_counted.handler != NULL)
        cgcm_counted.handler(name, direction, bytes);
}

static void cgcm_count_in(const char *name, size_t bytes)
{
    cgcm_count_copy(name, "in", bytes);
    cgcm_counted.totals.copies_in++;
    cgcm_counted.totals.bytes_in += bytes;
}

static void cgcm_count_out(const char *name, size_t bytes)
{
    cgcm_count_copy(name, "out", bytes);
    cgcm_counted.totals.copies_out++;
    cgcm_counted.totals.bytes_out += bytes;
}

#endif

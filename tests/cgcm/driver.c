/* Executes the commands on stdin, one a line, with CGCM, and prints what they find; an error prints its number.
 * Units are numbers; their memory consists of words of 8 bytes.  DEVICE says how "kernels" get at the device. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cgcm.h"
#include "device.h"

enum { UNITS = 64, WORDS = 16 };

static uint64_t *memory[UNITS], *local_memory[1000], global[8][WORDS];
static size_t words[UNITS], locals;
static cgcm_address device[UNITS], table[UNITS];
static cgcm_scope scopes[UNITS];
static jmp_buf after_error;

static void note(cgcm_error error, const char *message)
{
    fprintf(stderr, "%s\n", message);
    printf("error %d\n", (int)error);
    longjmp(after_error, 1);
}

static void own(int unit, uint64_t *made, size_t count)
{
    if (count > words[unit])
        memset(made + words[unit], 0, (count - words[unit]) * sizeof *made);
    memory[unit] = made;
    words[unit] = count;
}

static void declare_local(int unit, size_t count)
{
    uint64_t *made = (uint64_t *)calloc(count, sizeof *made); /* stands for a stack */
    local_memory[locals++] = made;
    cgcm_declare_alloca("local", made, count * sizeof *made);
    memory[unit] = made;
    words[unit] = count;
}

static int is(const char *command, const char *name)
{
    return strcmp(command, name) == 0;
}

static void allocate(const char *command, int u, long n)
{
    const size_t bytes = (size_t)n * sizeof(uint64_t);
    void *aligned = NULL;
    if (is(command, "realloc")) {
        own(u, (uint64_t *)cgcm_realloc("heap", memory[u], bytes), (size_t)n);
        return;
    }
    words[u] = 0;
    if (is(command, "malloc"))
        own(u, (uint64_t *)cgcm_malloc("heap", bytes), (size_t)n);
    else if (is(command, "calloc"))
        own(u, (uint64_t *)cgcm_calloc("heap", (size_t)n, sizeof(uint64_t)), (size_t)n);
    else if (cgcm_posix_memalign("heap", &aligned, 64, bytes) == 0)
        own(u, (uint64_t *)aligned, (size_t)n);
}

static void declare_global(int u, int is_read_only)
{
    cgcm_declare_global("global", global[u % 8], sizeof global[0], is_read_only);
    memory[u] = global[u % 8];
    words[u] = WORDS;
}

static void print_totals(void)
{
    const cgcm_totals t = cgcm_total();
    printf("%lu %lu %lu %lu %lu %lu %lu %lu %lu\n", t.copies_in, t.bytes_in, t.copies_out, t.bytes_out, t.launches, t.waits, t.units,
           t.mapped, t.device_bytes);
}

static void execute(const char *command, int u, long i, long v, long w)
{
    if (is(command, "malloc") || is(command, "calloc") || is(command, "memalign") || is(command, "realloc"))
        allocate(command, u, i);
    else if (is(command, "free"))
        cgcm_free(memory[u]);
    else if (is(command, "global"))
        declare_global(u, (int)i);
    else if (is(command, "open"))
        scopes[u] = cgcm_open_scope();
    else if (is(command, "close"))
        cgcm_close_scope(scopes[u]);
    else if (is(command, "alloca"))
        declare_local(u, (size_t)i);
    else if (is(command, "set"))
        memory[u][i] = (uint64_t)v;
    else if (is(command, "get"))
        printf("%lu\n", (unsigned long)memory[u][i]);
    else if (is(command, "point"))
        memory[u][i] = (uint64_t)(uintptr_t)(memory[v] + w);
    else if (is(command, "map"))
        device[u] = cgcm_map(memory[u] + i) - (cgcm_address)i * 8;
    else if (is(command, "unmap"))
        cgcm_unmap(memory[u] + i);
    else if (is(command, "release"))
        cgcm_release(memory[u] + i);
    else if (is(command, "update"))
        cgcm_update(memory[u] + i);
    else if (is(command, "map_array"))
        table[u] = cgcm_map_array(memory[u] + i) - (cgcm_address)i * 8;
    else if (is(command, "unmap_array"))
        cgcm_unmap_array(memory[u] + i);
    else if (is(command, "release_array"))
        cgcm_release_array(memory[u] + i);
    else if (is(command, "launch"))
        cgcm_launched("kernel");
    else if (is(command, "poke"))
        device_write(device[u] + (cgcm_address)i * 8, (uint64_t)v);
    else if (is(command, "peek"))
        printf("%lu\n", (unsigned long)device_read(device[u] + (cgcm_address)i * 8));
    else if (is(command, "poke_row"))
        device_write(device_read(table[u] + (cgcm_address)i * 8) + (cgcm_address)v * 8, (uint64_t)w);
    else if (is(command, "peek_row"))
        printf("%lu\n", (unsigned long)device_read(device_read(table[u] + (cgcm_address)i * 8) + (cgcm_address)v * 8));
    else if (is(command, "totals"))
        print_totals();
    else
        abort();
}

static void give_back(void)
{
    for (size_t k = 0; k < locals; k++)
        free(local_memory[k]);
}

int main(void)
{
    char command[32];
    int unit;
    long i, v, w;
    device_use();
    cgcm_on_error(note);
    while (scanf("%31s %d %ld %ld %ld", command, &unit, &i, &v, &w) == 5)
        if (setjmp(after_error) == 0)
            execute(command, unit, i, v, w);
    give_back();
    device_end();
    return 0;
}

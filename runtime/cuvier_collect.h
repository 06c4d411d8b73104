/* Values that parts of a launch have come to, and that the host puts together once all parts are at work. */
#ifndef CUVIER_COLLECT_H
#define CUVIER_COLLECT_H

/* Values of the host's that a launch has made, are copied out, and their buffer is freed. */
CUVIER_FUNCTION void cuvier_device_results(const char *kernel, const char *what, cuvier_results buffer, void *host, long count, size_t size);

/* Parts of a reduction that wait on their device for the host to combine them. */
typedef struct {
    const char *kernel, *what;
    int device;
    cuvier_results buffer;
    long count;
    size_t size;
    void *value;
    void (*combine)(void *value, const void *parts, long count);
} cuvier_waiting;

static __thread cuvier_waiting *cuvier_awaited;
static __thread size_t cuvier_awaited_count;

CUVIER_FUNCTION void cuvier_collect_later(const char *kernel, const char *what, cuvier_results buffer, long count, size_t size, void *value,
                                          void (*combine)(void *, const void *, long))
{
    const cuvier_waiting one = {kernel, what, cuvier_at, buffer, count, size, value, combine};
    cuvier_awaited = (cuvier_waiting *)cuvier_grown(cuvier_awaited, (cuvier_awaited_count + 1) * sizeof one);
    cuvier_awaited[cuvier_awaited_count++] = one;
}

/* In the order of the devices. */
CUVIER_FUNCTION void cuvier_collect(void)
{
    for (size_t k = 0; k < cuvier_awaited_count; k++) {
        const cuvier_waiting *const one = &cuvier_awaited[k];
        void *const parts = cuvier_grown(NULL, (size_t)one->count * one->size);
#if CUVIER_DEVICES != 1
        cuvier_go_to(one->device);
#endif
        cuvier_device_results(one->kernel, one->what, one->buffer, parts, one->count, one->size);
        one->combine(one->value, parts, one->count);
        free(parts);
    }
    cuvier_awaited_count = 0;
}

#endif

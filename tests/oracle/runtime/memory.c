/* Objects and what they hold. */

static int new_object(const char *name, u32 base, u32 size, char kind, char tag, int state, int direct) {
    if (objects_n >= OBJECTS) rt_undefined("too many objects");
    struct object *o = &objects[objects_n];
    *o = (struct object){name, base, size, ++serial, kind, tag};
    for (u32 k = base; k < base + size; k++)
        bytes[k] = (struct byte){(unsigned char)state, (unsigned char)direct, (uint16_t)objects_n, 0, 0};
    return objects_n++;
}

void rt_global(const char *name, void *at, unsigned long size, int tag) {
    new_object(name, number(at, size), (u32)size, 'g', (char)tag, VALUE, 0);
}

void rt_local(void *at, unsigned long size, int flags, const char *name) {
    if (size > STACK) rt_undefined("size");
    new_object(name, number(at, size), (u32)size, 'l', 0, flags & INITIALISED ? VALUE : UNINITIALISED, flags & DIRECT);
}

void *rt_buffer(const char *name, unsigned long size, int tag) {
    if (size > ARENA || arena_at + size + 2 * GAP > ARENA) rt_undefined("memory");
    char *at = arena + arena_at + GAP;
    arena_at += (u32)((size + 63) / 64 * 64 + GAP);
    new_object(name, number(at, size), (u32)size, 'b', (char)tag, VALUE, 0);
    return at;
}

void *rt_malloc(unsigned long size) {
    void *at = rt_buffer("heap", size ? size : 1, 0);
    struct object *o = &objects[objects_n - 1];
    for (u32 k = o->base; k < o->base + o->size; k++) bytes[k].state = UNINITIALISED;
    o->kind = 'h';
    return at;
}

void *rt_calloc(unsigned long count, unsigned long size) {
    if (count > ARENA || size > ARENA) rt_undefined("memory");
    void *at = rt_malloc(count * size);
    memset(at, 0, count * size);
    for (u32 k = 0; k < count * size; k++) bytes[objects[objects_n - 1].base + k].state = VALUE;
    return at;
}

void rt_free(void *at) {
    if (!at) return;
    struct object *o = &objects[bytes[number(at, 1)].object];
    if (o->kind != 'h' || o->base != number(at, 1)) rt_undefined("free");
    for (u32 k = o->base; k < o->base + o->size; k++) bytes[k].state = INVALID;
}

static void store(char tag, char *at, long k, long v) {
    switch (tag) {
    case 'b': ((_Bool *)at)[k] = v & 1; break;
    case 'c': case 'C': at[k] = (char)v; break;
    case 's': case 'S': ((short *)at)[k] = (short)v; break;
    case 'i': case 'I': ((int *)at)[k] = (int)v; break;
    case 'l': case 'L': ((long *)at)[k] = v; break;
    case 'f': ((float *)at)[k] = (float)v; break;
    case 'd': ((double *)at)[k] = (double)v; break;
    }
}

void rt_fill(void *at, int tag, long count, int seed, int most) {
    u32 x = (u32)seed * 2654435761u + 12345u;
    for (long k = 0; k < count; k++) {
        x = x * 1664525u + 1013904223u;
        store((char)tag, at, k, (long)((x >> 16) % (u32)(most + 1)));
    }
}

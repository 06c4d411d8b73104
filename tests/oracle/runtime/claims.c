/* The claims about the innermost active loop, as the program states them when it enters it. */

static int inside_box(const struct box *b, u32 at, long *index) {
    long offset = (long)at - (long)b->base;
    for (int d = 0; d < b->dimensions; d++) {
        long w = b->width[d], i = offset / w - (offset % w < 0);
        offset -= i * w;
        index[d] = i;
    }
    for (int d = 0; d < b->dimensions; d++)
        if (index[d] < b->low[d] || index[d] > b->high[d]) return 0;
    return 1;
}

void rt_box(int flags, int name, void *at, int dimensions, ...) {
    struct frame *f = &frames[depth - 1];
    if (f->boxes_n >= 40) rt_undefined("too many arrays");
    if (!at) return;
    unsigned long where = (unsigned long)((char *)at - START);
    if (where >= limit) return;
    struct box *b = &f->boxes[f->boxes_n++];
    *b = (struct box){.flags = flags, .name = name, .dimensions = dimensions, .base = (u32)where, .alone = 1};
    va_list list;
    va_start(list, dimensions);
    for (int d = 0; d < dimensions; d++) {
        b->low[d] = va_arg(list, long);
        b->high[d] = va_arg(list, long);
        b->width[d] = va_arg(list, long);
    }
    va_end(list);
    b->object = bytes[where].state ? bytes[where].object : -1;
    for (int k = 0; k < f->boxes_n - 1; k++)
        if (f->boxes[k].object == b->object && f->boxes[k].name != name) f->boxes[k].alone = b->alone = 0;
    claims++;
}

void rt_claimed(void) { frames[depth - 1].claimed = 1; any_claim = 1; claims++; }
void rt_kernel(void) { frames[depth - 1].kernel = 1; claims++; }
void rt_flag(int flag) { frames[depth - 1].flags |= flag; }
void rt_nonempty(void) { frames[depth - 1].nonempty = 1; claims++; }

void rt_base(int loop, int has_trips, long trips, int rectangular) {
    struct frame *f = &frames[depth - 1];
    if (f->bases_n < 6) f->bases[f->bases_n++] = (struct base){loop, has_trips, rectangular, 0, 0, trips, 0};
    claims += has_trips + rectangular;
}

void rt_range(int kind, void *at, unsigned long size) {
    struct frame *f = &frames[depth - 1];
    if (f->ranges_n >= 48) rt_undefined("too many names");
    u32 where = number(at, size);
    f->ranges[f->ranges_n++] = (struct range){where, where + (u32)size, kind};
    claims++;
}

void rt_scalar(void *at, unsigned long size) {
    struct frame *f = &frames[depth - 1];
    if (f->scalars_n >= 48) rt_undefined("too many names");
    u32 where = number(at, size);
    f->scalars[f->scalars_n++] = (struct range){where, where + (u32)size, 0};
}

static long load(int tag, const char *at) {
    switch (tag) {
    case 'b': return *(const _Bool *)at;
    case 'c': return *(const signed char *)at;
    case 'C': return *(const unsigned char *)at;
    case 's': return *(const short *)at;
    case 'S': return *(const unsigned short *)at;
    case 'i': return *(const int *)at;
    case 'I': return *(const unsigned *)at;
    case 'l': case 'L': case 'p': return *(const long *)at;
    }
    return 0;
}

static int width_of(int tag) {
    return tag == 'l' || tag == 'L' || tag == 'd' || tag == 'p' ? 8 : tag == 'i' || tag == 'I' || tag == 'f' ? 4 : tag == 's' || tag == 'S' ? 2 : 1;
}

static int is_float(int tag) { return tag == 'f' || tag == 'd'; }

void rt_linear(void *at, int tag, int has_step, long step) {
    struct frame *f = &frames[depth - 1];
    rt_range(LINEAR, at, (unsigned long)width_of(tag));
    if (f->linear_n < 8 && !is_float(tag))
        f->linear[f->linear_n++] = (struct linear){number(at, 1), tag, has_step, step, load(tag, at)};
}

/* What a minimum or maximum takes along: an index. */
void rt_with(void *at, unsigned long size, int keeps_last) {
    struct frame *f = &frames[depth - 1];
    rt_range(REDUCTION, at, size);
    if (!f->reduced_n) return;
    struct reduced *r = &f->reduced[f->reduced_n - 1];
    r->keeps_last = keeps_last;
    if (r->with_n < 4 && size <= 8) r->with[r->with_n++] = (struct range){number(at, size), number(at, size) + (u32)size, 0};
}

/* `size` 0: boxes of (low, high, width) follow; ~0: the whole object */
void rt_reduce(int op, int tag, void *at, unsigned long size, int dimensions, ...) {
    struct frame *f = &frames[depth - 1];
    if (f->reduced_n >= 64) rt_undefined("too many names");
    struct reduced *r = &f->reduced[f->reduced_n++];
    unsigned long element = tag ? (unsigned long)width_of(tag) : 1;
    *r = (struct reduced){.op = op, .tag = tag};
    r->at = malloc(sizeof(u32) * 4096);
    claims++;
    if (dimensions == 0) {
        u32 base = (u32)((char *)at - START);
        if (size == ~0ul) {
            base = number(at, 1);
            struct object *o = &objects[bytes[base].object];
            base = o->base;
            size = o->size;
        }
        for (u32 k = 0; k < size && r->count < 4096; k += (u32)element) r->at[r->count++] = base + k;
    } else {
        long low[6], high[6], width[6], index[6];
        va_list list;
        va_start(list, dimensions);
        for (int d = 0; d < dimensions; d++) {
            low[d] = va_arg(list, long);
            high[d] = va_arg(list, long);
            width[d] = va_arg(list, long);
            index[d] = low[d];
        }
        va_end(list);
        int d = 0;
        for (d = 0; d < dimensions; d++)
            if (low[d] > high[d]) return;
        for (;;) {
            long where = (char *)at - START;
            for (int k = 0; k < dimensions; k++) where += index[k] * width[k];
            for (long k = 0; k < width[dimensions - 1]; k += (long)element)
                if (r->count < 4096 && where + k >= 0 && where + k < limit && bytes[where + k].state)
                    r->at[r->count++] = (u32)(where + k);
            for (d = dimensions - 1; d >= 0 && ++index[d] > high[d]; d--) index[d] = low[d];
            if (d < 0) break;
        }
    }
}

/* Loads and stores. */

static void note_induction(struct frame *f, int level, u32 at, u32 size, const char *where) {
    struct induction *i = &inductions[level][at];
    long v = size == 8 ? *(const long *)where : size == 4 ? *(const int *)where : size == 2 ? *(const short *)where : *where;
    if (i->instance != f->instance) *i = (struct induction){f->instance, f->iteration, v, 0, 1, f->iteration > 2};
    else if (i->iteration != f->iteration) {
        if (f->iteration != i->iteration + 1 || (i->count > 1 && v - i->value != i->step)) i->bad = 1;
        i->step = v - i->value;
        i->value = v;
        i->iteration = f->iteration;
        i->count++;
    }
}

static void reach(struct box *b, int k, const long *index) {
    for (int d = 0; d < b->dimensions; d++) {
        if (!b->reached[k].seen || index[d] < b->reached[k].least[d]) b->reached[k].least[d] = index[d];
        if (!b->reached[k].seen || index[d] > b->reached[k].most[d]) b->reached[k].most[d] = index[d];
    }
    b->reached[k].seen = 1;
}

static void check_boxes(struct frame *f, const struct object *o, u32 at, int write, int fresh, int exposed) {
    int object = (int)(o - objects), domains = 0, in_domain = 0, listed = 0, in_region = 0;
    long index[6];
    for (int n = 0; n < f->boxes_n; n++) {
        struct box *b = &f->boxes[n];
        if (b->object != object) continue;
        if (b->flags & KERNEL) listed = 1;
        if (!(b->flags & (write ? WRITE : READ))) continue;
        int in = inside_box(b, at, index);
        if (b->flags & DOMAIN && b->alone) {
            domains |= write || fresh;
            in_domain |= in;
            for (int k = write || fresh ? 0 : 1; k < 2; k++) reach(b, k, index);
        }
        if (b->flags & KERNEL) in_region |= in || b->flags & WHOLE;
    }
    if (domains && !in_domain)
        wrong(f->loop, write ? "outside of the domains (w):" : "outside of the domains (r):", o->name, (long)at - o->base);
    if (!f->kernel || !(write || exposed)) return;
    if (listed && !in_region) {
        wrong(f->loop, write ? "written outside of the kernel's regions:" : "read outside of the kernel's regions:", o->name, (long)at - o->base);
        return;
    }
    if (listed) return;
    for (int n = 0; n < f->scalars_n; n++)
        if (at >= f->scalars[n].low && at < f->scalars[n].high) return;
    if (kind_at(f, at) == NONE) wrong(f->loop, "touched, but no part of the kernel:", o->name, (long)at - o->base);
}

static void frame_touch(struct frame *f, int level, u32 at, u32 size, int write, int via, int op, const struct object *o) {
    u32 now = f->iteration, tuple = f->tuple;
    int conflict = 0, tuples = 0, fresh = 0, exposed = 0, other_tuple = 0;
    for (u32 k = at; k < at + size; k++) {
        struct cell *c = &cells[level][k];
        if (c->instance != f->instance) {
            *c = (struct cell){.instance = f->instance};
            if (f->touched_n < MEMORY) f->touched[f->touched_n++] = k;
        }
        if (k == at) c->size = size > 255 ? 255 : (unsigned char)size;
        if (!op || (c->op && c->op != op)) c->flags |= PLAIN;
        c->op = (unsigned char)op;
        if (!via) c->flags |= NAMED;
        if (write) {
            if ((c->write && c->write != now) || (c->read && c->read != now)) conflict = 1, c->flags |= CONFLICT;
            if ((c->tuple_write && c->tuple_write != tuple) || (c->tuple_read && c->tuple_read != tuple)) tuples = 1;
            c->write = now;
            c->tuple_write = tuple;
        } else {
            if (c->write != now) {
                fresh = 1;
                c->flags |= EXPOSED;
                if (c->write) conflict = 1, c->flags |= FLOW | CONFLICT;
            }
            if (!c->write) exposed = 1;
            if (c->tuple_write && c->tuple_write != tuple) tuples = 1;
            if (c->tuple_write != tuple) other_tuple = 1;
            if (!c->read) c->read = now;
            if (!c->tuple_read) c->tuple_read = tuple;
        }
    }
    if (fresh && (size == 8 || size <= 4)) note_induction(f, level, at, size, START + at);
    if (perturbed) return;
    if (f->claimed) {
        int kind = conflict || tuples || fresh || other_tuple || write ? kind_at(f, at) : NONE;
        if (kind != NONE && kind != ITERATOR && via && !conflict && o->size > 8) kind = REDUCTION; /* the shared original */
        if (kind == NONE && conflict) wrong(f->loop, "iterations conflict over", o->name, (long)at - o->base);
        else if (kind == NONE && tuples && f->bases_n > 1) wrong(f->loop, "base iterations conflict over", o->name, (long)at - o->base);
        else if ((kind == PRIVATE || kind == LAST || kind == LAST_WRITTEN) && !write && fresh) wrong(f->loop, "a private value is read before it is written:", o->name, (long)at - o->base);
        else if ((kind == PRIVATE || kind == LAST || kind == LAST_WRITTEN) && !write && other_tuple && f->bases_n > 1) wrong(f->loop, "a private value of another base iteration is read:", o->name, (long)at - o->base);
        else if (kind == ITERATOR && write && !f->header && f->flags & HAS_STEP && f->flags & OPENMP) wrong(f->loop, "the iterator is changed:", o->name, -1);
    }
    if (f->boxes_n || f->kernel) check_boxes(f, o, at, write, fresh, exposed);
}

static void touch(const void *address, u32 size, int write, int via, int op) {
    u32 at = number(address, size);
    if (--budget < 0) rt_undefined("too long");
    struct byte *b = &bytes[at];
    if (!b->state || b[size - 1].object != b->object || !b[size - 1].state || (via && b->direct)) rt_undefined("out of bounds");
    const struct object *o = &objects[b->object];
    for (u32 k = 0; k < size; k++) {
        if (write) b[k].state = VALUE, b[k].poison = b[k].stale = 0;
        else {
            if (b[k].state == UNINITIALISED) rt_undefined("uninitialised");
            if (b[k].poison) wrong(b[k].poison - 1, "a private value is needed after the loop:", o->name, -1);
            if (b[k].stale) loops[b[k].stale - 1].flags |= SERIAL;
        }
    }
    for (int level = depth - 1; level >= 0 && o->birth < frames[level].serial; level--)
        if (frames[level].iteration) frame_touch(&frames[level], level, at, size, write, via, op, o);
}

long rt_index(long index, long size) {
    if (index < 0 || index >= size) rt_undefined("out of bounds");
    return index;
}

void rt_effect(void) {
    for (int level = 0; level < depth; level++) frames[level].effect = 1;
}

void *rt_memcpy(void *to, const void *from, unsigned long size) {
    for (u32 k = 0; k < size; k++) touch((const char *)from + k, 1, 0, 1, 0);
    for (u32 k = 0; k < size; k++) touch((char *)to + k, 1, 1, 1, 0);
    return memmove(to, from, size);
}

void *rt_memset(void *to, int value, unsigned long size) {
    for (u32 k = 0; k < size; k++) touch((char *)to + k, 1, 1, 1, 0);
    return memset(to, value, size);
}

#define DEFINE(t, T) \
    T rd_##t(T *at, int op) { touch(at, sizeof *at, 0, 0, op); return *at; } \
    T rv_##t(T *at, int op) { touch(at, sizeof *at, 0, 1, op); return *at; } \
    T wr_##t(T *at, T value, int op) { touch(at, sizeof *at, 1, 0, op); return *at = value; } \
    T wv_##t(T *at, T value, int op) { touch(at, sizeof *at, 1, 1, op); return *at = value; }
TYPES(DEFINE)

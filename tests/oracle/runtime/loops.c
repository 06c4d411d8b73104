/* Entering, repeating and leaving loops; what is checked when a loop is left. */

int rt_call(void) {
    if (++call_depth > 40) rt_undefined("recursion");
    if (--budget < 0) rt_undefined("too long");
    return depth;
}

static void pop(void);

void rt_label(int to) {
    if (--budget < 0) rt_undefined("too long");
    while (depth > to) pop();
}

void rt_return(int to) {
    rt_label(to);
    call_depth--;
}

void rt_leave(int to) {
    while (depth > to) pop();
}

void rt_enter(int loop, int flags) {
    if (depth >= LEVELS) rt_undefined("too deep");
    struct frame *f = &frames[depth++];
    u32 *touched = f->touched ? f->touched : malloc(sizeof(u32) * MEMORY);
    memset(f, 0, offsetof(struct frame, ranges));
    f->touched = touched;
    f->touched_n = 0;
    f->effect = 0;
    f->loop = loop;
    f->flags = flags;
    f->call = call_depth;
    f->instance = ++instance;
    f->serial = ++serial;
    f->header = 1;
    claiming = 1;
}

void rt_begin(void) {
    struct frame *f = &frames[depth - 1];
    claiming = 0;
    f->iteration = 1;
    f->tuple = 1;
    if (f->claimed && f->reduced_n) wants_perturbation = 1;
}

void rt_next(void) {
    struct frame *f = &frames[depth - 1];
    f->iteration = f->count + 1;
    f->header = 1;
}

void rt_iterate(long value) {
    struct frame *f = &frames[depth - 1];
    if (--budget < 0) rt_undefined("too long");
    f->count++;
    f->iteration = f->count;
    f->tuple++;
    f->header = 0;
    f->hash = f->hash * 1000003u + (unsigned long)value;
    if (f->count == 2) f->step = value - f->value;
    if (f->claimed && f->count > 2 && value != f->value + f->step) wrong(f->loop, "the iterator's step changes", 0, -1);
    f->value = value;
    for (int k = 0; k < depth - 1; k++)
        for (int n = 0; n < frames[k].bases_n; n++)
            if (frames[k].bases[n].loop == f->loop) frames[k].tuple++;
    if (perturbs(f)) start_reductions(f, f->count == 1);
    if (f->claimed)
        for (int n = 0; n < f->linear_n; n++) {
            struct linear *l = &f->linear[n];
            long now = load(l->tag, START + l->at);
            if (f->count == 1) l->first = now; /* the header may have set it */
            if (!l->has_step && f->count == 2) l->has_step = 1, l->step = now - l->first;
            if ((l->has_step || f->count == 1) && now != l->first + (long)(f->count - 1) * l->step)
                wrong(f->loop, "a linear variable has another value", objects[bytes[l->at].object].name, -1);
        }
}

void rt_end(void) { frames[depth - 1].normal = 1; }

static void check_covered(struct frame *f, struct box *b) {
    long index[6];
    int d;
    for (d = 0; d < b->dimensions; d++) {
        if (b->low[d] > b->high[d] || b->high[d] - b->low[d] > 4000) return;
        index[d] = b->low[d];
    }
    for (;;) {
        long where = b->base;
        for (d = 0; d < b->dimensions; d++) where += index[d] * b->width[d];
        if (where < 0 || where >= limit || !bytes[where].state || bytes[where].object != b->object) {
            wrong(f->loop, "a covered region leaves the array", b->object >= 0 ? objects[b->object].name : "?", where - b->base);
            return;
        }
        struct cell *c = &cells[f - frames][where];
        if (c->instance != f->instance || !c->write) {
            wrong(f->loop, "said to be written for certain:", objects[b->object].name, where - b->base);
            return;
        }
        for (d = b->dimensions - 1; d >= 0 && ++index[d] > b->high[d]; d--) index[d] = b->low[d];
        if (d < 0) return;
    }
}

static void check_attained(struct frame *f, struct box *b) {
    for (int k = 0; k < f->boxes_n; k++) { /* of several, nobody knows which is reached, or why one is empty */
        struct box *o = &f->boxes[k];
        if (o != b && o->flags & DOMAIN && o->object == b->object && (o->flags & 3) == (b->flags & 3)) return;
    }
    struct attained *record = &loops[f->loop].attained[b - f->boxes];
    int attained = 1;
    for (int d = 0; d < b->dimensions; d++) {
        long low = b->low[d], high = b->high[d];
        if (low > high || !b->reached[0].seen) return; /* what is not new may be all that was read */
        int least = 0, most = 0; /* by either kind of reads: an analysis may leave out some of what is not new */
        for (int k = 0; k < 2; k++) {
            least |= b->reached[k].seen && b->reached[k].least[d] == low;
            most |= b->reached[k].seen && b->reached[k].most[d] == high;
        }
        attained &= least && most;
    }
    record->chances += record->chances < 1000;
    record->times += attained && record->times < 1000;
    record->name = objects[b->object].name;
}

static void never_attained(void) {
    for (int loop = 0; loop < loops_n; loop++)
        for (int k = 0; k < 40; k++) {
            struct attained *a = &loops[loop].attained[k];
            if (a->chances > 2 && !a->times) printf("W\t%d\t-1\tan exact domain is never attained: '%s'\n", loop, a->name);
        }
}

static int all_ran(const struct frame *f) {
    for (int n = 0; n < f->bases_n; n++)
        if (f->bases[n].loop != f->loop && !f->bases[n].ran) return 0;
    return f->count > 0;
}

static int kind_at(const struct frame *f, u32 at) {
    for (int n = 0; n < f->ranges_n; n++) /* iterators come first: they may be private too */
        if (at >= f->ranges[n].low && at < f->ranges[n].high && (f->ranges[n].kind == ITERATOR || f->ranges[n].kind == INNER))
            return f->ranges[n].kind;
    for (int n = 0; n < f->ranges_n; n++)
        if (at >= f->ranges[n].low && at < f->ranges[n].high) return f->ranges[n].kind;
    for (int n = 0; n < f->reduced_n; n++)
        for (u32 k = 0; k < f->reduced[n].count; k++) {
            u32 low = f->reduced[n].at[k], w = f->reduced[n].tag ? (u32)width_of(f->reduced[n].tag) : 1;
            if (at >= low && at < low + w) return REDUCTION;
        }
    return NONE;
}

static void settle_ranges(struct frame *f, int level) {
    for (int n = 0; n < f->ranges_n; n++) {
        struct range *r = &f->ranges[n];
        if (r->kind == REDUCTION || r->kind == LINEAR || r->kind == INNER || r->kind == LAST_WRITTEN) continue;
        int last = r->kind == LAST, poisons = !last;
        for (int k = 0; k < f->ranges_n && r->kind == ITERATOR; k++) /* an iterator may be kept */
            if (f->ranges[k].kind == LAST && f->ranges[k].low == r->low) poisons = 0;
        int is_iterator = 0;
        for (int k = 0; k < f->ranges_n && last; k++)
            if ((f->ranges[k].kind == ITERATOR || f->ranges[k].kind == INNER) && f->ranges[k].low == r->low) is_iterator = 1;
        for (u32 at = r->low; at < r->high; at++) {
            struct cell *c = &cells[level][at];
            u32 written = c->instance == f->instance ? c->write : 0;
            /* OpenMP copies all of a last-private array back; the analyser's own claim is about what is written. */
            int lost = written != f->count && (written || (f->flags & OPENMP && f->count));
            if (r->high - r->low > 8 && written && !(c->flags & (NAMED | CONFLICT))) continue;
            if (poisons || (last && !is_iterator && lost)) bytes[at].poison = (uint16_t)(f->loop + 1);
        }
    }
}

static void judge_cell(struct frame *f, struct loop *l, int level, u32 at) {
    struct cell *c = &cells[level][at];
    if (!(c->flags & CONFLICT) || !c->size) return;
    for (int n = 0; n < f->ranges_n; n++)
        if (f->ranges[n].kind == ITERATOR && at >= f->ranges[n].low && at < f->ranges[n].high) return;
    struct object *o = &objects[bytes[at].object];
    if (!(c->flags & PLAIN)) { l->flags |= REDUCES | (o->size > 8 ? ARRAYS : 0); return; }
    if (!(c->flags & EXPOSED)) {
        l->flags |= PRIVATISES | (o->size > 8 ? ARRAYS : 0);
        if (c->write != f->count)
            for (u32 k = at; k < at + c->size; k++) bytes[k].stale = (uint16_t)(f->loop + 1);
        return;
    }
    struct induction *i = &inductions[level][at];
    if (o->size <= 8 && i->instance == f->instance && !i->bad && i->count > 1 && i->step && i->count + 1 >= (int)f->count) {
        l->flags |= INDUCES;
        return;
    }
    l->flags |= SERIAL;
}

static void finish(struct frame *f, int level) {
    struct loop *l = &loops[f->loop];
    if (perturbs(f) && f->count) finish_reductions(f);
    if (perturbed) return;
    l->instances++;
    l->flags |= SEEN;
    if (f->count > l->trips) l->trips = f->count;
    if (!f->normal) l->flags |= EARLY;
    if (f->effect) l->flags |= EFFECT;
    for (u32 k = 0; k < f->touched_n && !(l->flags & SERIAL); k++) judge_cell(f, l, level, f->touched[k]);
    if (f->claimed) {
        l->checked++;
        if (!f->normal) wrong(f->loop, "an iteration leaves the loop", 0, -1);
        if (f->effect) wrong(f->loop, "an iteration has an effect outside of memory", 0, -1);
        settle_ranges(f, level);
    }
    if (f->nonempty && !f->count) wrong(f->loop, "said to make an iteration", 0, -1);
    for (int n = 0; n < f->boxes_n && f->normal; n++) {
        struct box *b = &f->boxes[n];
        if (b->flags & KERNEL && b->flags & COVERED && all_ran(f)) check_covered(f, b);
        if (b->flags & DOMAIN && b->flags & EXACT && b->alone && all_ran(f)) check_attained(f, b);
    }
}

static void tell_heads(struct frame *f, int level) {
    for (int k = 0; k <= level; k++)
        for (int n = 0; n < frames[k].bases_n; n++) {
            struct base *b = &frames[k].bases[n];
            if (b->loop != f->loop) continue;
            if (b->has_trips && (long)f->count > (b->trips > 0 ? b->trips : 0)) wrong(frames[k].loop, "more trips than claimed", 0, -1);
            if (f->count) b->ran = 1;
            if (b->rectangular && k < level) {
                if (b->hashed && b->hash != f->hash) wrong(frames[k].loop, "collapse joins loops that are not rectangular", 0, -1);
                b->hashed = 1;
                b->hash = f->hash;
            }
        }
}

static void pop(void) {
    struct frame *f = &frames[depth - 1];
    claiming = 0;
    if (f->iteration) {
        tell_heads(f, depth - 1);
        finish(f, depth - 1);
    }
    for (int n = 0; n < f->reduced_n; n++) free(f->reduced[n].at), free(f->reduced[n].totals), free(f->reduced[n].floats);
    f->reduced_n = 0;
    depth--;
}

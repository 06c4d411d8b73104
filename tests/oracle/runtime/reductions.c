/* Reductions, run as threads would: every iteration starts from the identity */

static double float_identity(int op) {
    return op == '*' ? 1 : op == 'm' ? 1e300 : op == 'M' ? -1e300 : op == 'a' ? 1 : 0;
}

static long identity(int op, int tag) {
    int is_signed = strchr("csil", tag) != 0, bits = width_of(tag) * 8;
    long most = bits == 64 ? 0x7fffffffffffffff : is_signed ? (1L << (bits - 1)) - 1 : (1L << bits) - 1;
    switch (op) {
    case '*': case 'a': return 1;
    case '&': return -1;
    case 'm': return most;
    case 'M': return is_signed ? -most - 1 : 0;
    }
    return 0;
}

static long combine(int op, int tag, long a, long b) {
    switch (op) {
    case '+': return (long)((unsigned long)a + (unsigned long)b);
    case '*': return (long)((unsigned long)a * (unsigned long)b);
    case '&': return a & b;
    case '|': return a | b;
    case '^': return a ^ b;
    case 'a': return a && b;
    case 'o': return a || b;
    case 'm': return (tag == 'L' ? (unsigned long)a < (unsigned long)b : a < b) ? a : b;
    case 'M': return (tag == 'L' ? (unsigned long)a > (unsigned long)b : a > b) ? a : b;
    }
    return a;
}

static double combine_floats(int op, double a, double b) {
    switch (op) {
    case '+': return a + b;
    case '*': return a * b;
    case 'm': return a < b ? a : b;
    case 'M': return a > b ? a : b;
    case 'a': return a && b;
    case 'o': return a || b;
    }
    return a;
}

static double load_float(int tag, const char *at) { return tag == 'f' ? *(const float *)at : *(const double *)at; }

static void store_float(int tag, char *at, double v) {
    if (tag == 'f') *(float *)at = (float)v;
    else *(double *)at = v;
}

/* Does this iteration's value replace the total?  `won` decides for what is taken along. */
static void take_along(struct reduced *r, int won) {
    for (int n = 0; n < r->with_n; n++)
        if (won) memcpy(r->kept[n], START + r->with[n].low, r->with[n].high - r->with[n].low);
}

static int replaces(const struct reduced *r, double total, double value, int touched) {
    if (!touched) return 0;
    if (value == total) return r->keeps_last;
    return r->op == 'm' ? value < total : value > total;
}

static void combine_cell(struct reduced *r, u32 k, int first) {
    char *at = START + r->at[k];
    if (is_float(r->tag)) {
        double v = load_float(r->tag, at);
        take_along(r, first || replaces(r, r->floats[k], v, v != float_identity(r->op)));
        r->floats[k] = first ? v : combine_floats(r->op, r->floats[k], v);
    } else {
        long v = load(r->tag, at);
        take_along(r, first || replaces(r, (double)r->totals[k], (double)v, v != identity(r->op, r->tag)));
        r->totals[k] = first ? v : combine(r->op, r->tag, r->totals[k], v);
    }
}

static void start_reductions(struct frame *f, int first) {
    for (int n = 0; n < f->reduced_n; n++) {
        struct reduced *r = &f->reduced[n];
        if (!r->tag) continue;
        if (!r->totals) r->totals = malloc(sizeof(long) * (r->count + 1)), r->floats = malloc(sizeof(double) * (r->count + 1));
        for (u32 k = 0; k < r->count; k++) {
            combine_cell(r, k, first);
            if (is_float(r->tag)) store_float(r->tag, START + r->at[k], float_identity(r->op));
            else store((char)r->tag, START + r->at[k], 0, identity(r->op, r->tag));
        }
        for (int k = 0; k < r->with_n; k++) memset(START + r->with[k].low, 0x11, r->with[k].high - r->with[k].low);
    }
}

static void finish_reductions(struct frame *f) {
    for (int n = 0; n < f->reduced_n; n++) {
        struct reduced *r = &f->reduced[n];
        if (!r->tag || !r->totals) continue;
        for (u32 k = 0; k < r->count; k++) {
            combine_cell(r, k, 0);
            if (is_float(r->tag)) store_float(r->tag, START + r->at[k], r->floats[k]);
            else store((char)r->tag, START + r->at[k], 0, r->totals[k]);
        }
        for (int k = 0; k < r->with_n; k++) memcpy(START + r->with[k].low, r->kept[k], r->with[k].high - r->with[k].low);
    }
}

static int perturbs(const struct frame *f) {
    return perturbed && f->claimed && (only_loop < 0 || only_loop == f->loop);
}

/* Calls of the program's functions, and the comparison of two of them. */

void rt_result(double value) { result = value; }

static const struct rt_function *functions;

static void enter_call(void) {
    functions[now_function].call(now_call);
}

static void restore(void) {
    for (int n = globals_n; n < objects_n; n++) memset(bytes + objects[n].base, 0, objects[n].size * sizeof *bytes);
    objects_n = globals_n;
    for (int n = 0; n < globals_n; n++) {
        memcpy(START + objects[n].base, pristine + objects[n].base, objects[n].size);
        memcpy(bytes + objects[n].base, pristine_bytes + objects[n].base, objects[n].size * sizeof *bytes);
    }
}

/* One execution; 1 if it was defined. */
static int execute(int mode, int loop) {
    static struct loop before[LOOPS];
    restore();
    perturbed = mode;
    only_loop = loop;
    depth = call_depth = 0;
    budget = rt_budget;
    arena_at = 0;
    serial = 1000000;
    for (int n = 0; n < globals_n; n++) objects[n].birth = 1;
    report_n = 0;
    result = 0;
    claiming = 0;
    memcpy(before, loops, sizeof *loops * (size_t)loops_n);
    getcontext(&inside);
    inside.uc_stack.ss_sp = stack;
    inside.uc_stack.ss_size = sizeof stack;
    inside.uc_link = &home;
    makecontext(&inside, enter_call, 0);
    if (sigsetjmp(escape, 1) == 0) {
        swapcontext(&home, &inside);
        if (mode) memcpy(loops, before, sizeof *loops * (size_t)loops_n);
        return 1;
    }
    memcpy(loops, before, sizeof *loops * (size_t)loops_n);
    return 0;
}

static int close_enough(double a, double b) {
    double d = a > b ? a - b : b - a, m = (a < 0 ? -a : a) + (b < 0 ? -b : b);
    return d <= 1e-9 * m || a == b || (a != a && b != b);
}

static int same_object(const struct object *o) {
    const char *a = START + o->base, *b = after + o->base;
    if (!is_float(o->tag)) return !memcmp(a, b, o->size);
    for (u32 k = 0; k < o->size; k += (u32)width_of(o->tag))
        if (!close_enough(load_float(o->tag, a + k), load_float(o->tag, b + k))) return 0;
    return 1;
}

static int outlives(const struct object *o) { return strchr("gbh", o->kind) != 0; }

static int outliving(void) { /* a branch that calls a function more often makes more variables of it */
    int count = 0;
    for (int n = 0; n < objects_n; n++) count += outlives(&objects[n]);
    return count;
}

static int same_state(int count) {
    if (!close_enough(result, first_result) || outliving() != count) return 0;
    for (int n = 0; n < objects_n; n++)
        if (outlives(&objects[n]) && !same_object(&objects[n])) return 0;
    return 1;
}

static void remaining(void) {
    for (int n = 0; n < objects_n; n++) {
        struct object *o = &objects[n];
        if (!strchr("gb", o->kind)) continue;
        for (u32 k = o->base; k < o->base + o->size; k++) {
            if (bytes[k].poison) wrong(bytes[k].poison - 1, "a private value is visible after the function:", o->name, -1);
            if (bytes[k].stale) loops[bytes[k].stale - 1].flags |= SERIAL;
            bytes[k].poison = bytes[k].stale = 0;
        }
    }
}

static void refute(int loop, const char *what) {
    perturbed = 0;
    report_n = 0;
    wrong(loop, what, 0, -1);
    fwrite(report, 1, report_n, stdout);
}

static void perturb(int count) {
    if (execute(1, -1) && same_state(count)) return;
    for (int loop = 0; loop < loops_n; loop++) {
        if (!loops[loop].checked) continue;
        if (!execute(1, loop)) refute(loop, "another order is undefined");
        else if (!same_state(count)) refute(loop, "a reduction gives another result");
    }
}

static void one(int function, int call) {
    now_function = function;
    now_call = call;
    wants_perturbation = 0;
    runs++;
    if (!execute(0, -1)) {
        undefined_runs++;
        printf("U\t%d\t%d\t%s\n", function, call, reason);
        return;
    }
    remaining();
    fwrite(report, 1, report_n, stdout);
    if (!wants_perturbation) return;
    first_result = result;
    memcpy(after, START, limit);
    perturb(outliving());
}

int rt_main(const struct rt_function *table, int count, void (*globals)(void), int loop_count) {
    int signals[] = {SIGSEGV, SIGFPE, SIGBUS, SIGILL, SIGABRT};
    for (int k = 0; k < 5; k++) signal(signals[k], trapped);
    limit = (u32)(__stop_udata - __start_udata);
    if (limit > MEMORY || loop_count > LOOPS) { printf("E\ttoo large\n"); return 3; }
    functions = table;
    loops_n = loop_count;
    loops = calloc((size_t)loop_count + 1, sizeof *loops);
    after = malloc(limit);
    pristine = malloc(limit);
    for (int k = 0; k < LEVELS; k++) {
        cells[k] = calloc(MEMORY, sizeof **cells);
        inductions[k] = calloc(MEMORY, sizeof **inductions);
    }
    globals();
    globals_n = objects_n;
    memcpy(pristine, START, limit);
    memcpy(pristine_bytes, bytes, sizeof bytes);
    for (int f = 0; f < count; f++)
        for (int c = 0; c < functions[f].calls; c++) one(f, c);
    never_attained();
    for (int k = 0; k < loop_count; k++)
        printf("S\t%d\t%u\t%u\t%u\t%d\n", k, loops[k].trips, loops[k].instances, loops[k].checked, loops[k].flags);
    printf("R\t%ld\t%ld\t%ld\n", runs, undefined_runs, claims);
    return 0;
}

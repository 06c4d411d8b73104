/* How units begin and end.  A part of cgcm.c. */

static int cgcm_is_unmapped(const cgcm_unit *unit, const char *event)
{
    return !cgcm_is_mapped(unit)
        || cgcm_wrong(CGCM_STILL_MAPPED, "%s %s while it is mapped (%lu times): release it before", unit->name, event,
                      unit->data.count + unit->table.count);
}

static void cgcm_remove(cgcm_unit *unit)
{
    cgcm_take_out(&cgcm_all.root, unit);
    if (unit->newer != NULL)
        unit->newer->older = unit->older;
    if (unit->older != NULL)
        unit->older->newer = unit->newer;
    if (cgcm_all.newest == unit)
        cgcm_all.newest = unit->older;
    free(cgcm_all.spare);
    cgcm_all.spare = unit;
}

/* Is there memory for one unit more? */
static int cgcm_has_spare(void)
{
    if (cgcm_all.spare == NULL)
        cgcm_all.spare = (cgcm_unit *)malloc(sizeof *cgcm_all.spare);
    return cgcm_all.spare != NULL;
}

/* Makes room for a unit: a block of the heap or a local variable where it is now must have ended unseen. */
static int cgcm_clear(const char *name, uintptr_t base, size_t bytes, cgcm_kind kind)
{
    cgcm_unit *other = cgcm_overlapping(cgcm_all.root, base, bytes);
    while (other != NULL) {
        if (other->kind == CGCM_GLOBAL || kind == CGCM_GLOBAL || kind == CGCM_DECLARED)
            return cgcm_wrong(CGCM_OVERLAP, "%s has memory that is a part of %s: if that has ended, or is a pool, call cgcm_forget first",
                              name, other->name);
        if (!cgcm_is_unmapped(other, "has ended"))
            return 0;
        cgcm_remove(other);
        other = cgcm_overlapping(cgcm_all.root, base, bytes);
    }
    return 1;
}

static int cgcm_add(const char *name, const void *base, size_t bytes, cgcm_kind kind, int is_read_only)
{
    cgcm_unit *same = cgcm_greatest(cgcm_all.root, (uintptr_t)base);
    if (same != NULL && same->base == (uintptr_t)base && same->size == bytes && same->kind == kind
        && (kind == CGCM_GLOBAL || kind == CGCM_DECLARED)) {
        same->is_read_only = is_read_only;
        return 1;
    }
    if (!cgcm_clear(name, (uintptr_t)base, bytes, kind))
        return 0;
    if (!cgcm_has_spare())
        return cgcm_wrong(CGCM_NO_HOST_MEMORY, "no host memory is left to note %s", name);
    cgcm_unit *const unit = cgcm_all.spare;
    cgcm_all.spare = NULL;
    memset(unit, 0, sizeof *unit);
    unit->name = name;
    unit->base = (uintptr_t)base;
    unit->size = bytes;
    unit->kind = kind;
    unit->is_read_only = is_read_only;
    if (kind == CGCM_LOCAL) {
        unit->serial = ++cgcm_all.serial;
        unit->thread = &cgcm_inside;
        unit->older = cgcm_all.newest;
        if (unit->older != NULL)
            unit->older->newer = unit;
        cgcm_all.newest = unit;
    }
    cgcm_insert(&cgcm_all.root, unit);
    return 1;
}

static void cgcm_declare_as(const char *name, const void *base, size_t bytes, cgcm_kind kind, int is_read_only)
{
    cgcm_enter();
    cgcm_leave(cgcm_add(name, base, bytes, kind, is_read_only));
}

void cgcm_declare_global(const char *name, const void *base, size_t bytes, int is_read_only)
{
    cgcm_declare_as(name, base, bytes, CGCM_GLOBAL, is_read_only);
}

void cgcm_declare(const char *name, const void *base, size_t bytes, int is_read_only)
{
    cgcm_declare_as(name, base, bytes, CGCM_DECLARED, is_read_only);
}

void cgcm_declare_alloca(const char *name, const void *base, size_t bytes)
{
    cgcm_declare_as(name, base, bytes, CGCM_LOCAL, 0);
}

/* The unit that begins at `base`; NULL where none does. */
static cgcm_unit *cgcm_beginning(const void *base)
{
    cgcm_unit *unit = cgcm_greatest(cgcm_all.root, (uintptr_t)base);
    return unit != NULL && unit->base == (uintptr_t)base ? unit : NULL;
}

/* The unit that begins at `base`, with an error where none does. */
static cgcm_unit *cgcm_at(const void *base)
{
    cgcm_unit *unit = cgcm_beginning(base);
    if (unit == NULL)
        cgcm_wrong(CGCM_UNKNOWN_POINTER, "no allocation unit begins at %p", base);
    return unit;
}

void cgcm_forget(const void *base)
{
    cgcm_enter();
    cgcm_unit *unit = cgcm_at(base);
    const int done = unit != NULL && cgcm_is_unmapped(unit, "is forgotten");
    if (done)
        cgcm_remove(unit);
    cgcm_leave(done);
}

void cgcm_place_global(const void *base, cgcm_address at)
{
    cgcm_enter();
    cgcm_unit *unit = cgcm_at(base);
    const int done = unit != NULL && cgcm_is_unmapped(unit, "gets a place on the device");
    if (done)
        unit->twin = at;
    cgcm_leave(done);
}

cgcm_scope cgcm_open_scope(void)
{
    cgcm_enter();
    const cgcm_scope scope = ++cgcm_all.serial;
    cgcm_leave(1);
    return scope;
}

static int cgcm_is_inner(const cgcm_unit *unit, cgcm_scope scope)
{
    return unit->serial > scope && unit->thread == &cgcm_inside;
}

void cgcm_close_scope(cgcm_scope scope)
{
    int done = 1;
    cgcm_enter();
    for (const cgcm_unit *unit = cgcm_all.newest; unit != NULL && done; unit = unit->older)
        done = !cgcm_is_inner(unit, scope) || cgcm_is_unmapped(unit, "goes out of scope");
    for (cgcm_unit *unit = cgcm_all.newest, *older; unit != NULL && done; unit = older) {
        older = unit->older;
        if (cgcm_is_inner(unit, scope))
            cgcm_remove(unit);
    }
    cgcm_leave(done);
}

/* The heap.  Memory is noted after it was allocated, and forgotten before it is given back: another thread may get it at once. */
static void *cgcm_noted(const char *name, void *block, size_t bytes)
{
    int done = 1;
    if (block != NULL) {
        done = cgcm_add(name, block, bytes, CGCM_HEAP, 0);
        if (!done)
            free(block);
    }
    cgcm_leave(done || cgcm_all.error == CGCM_NO_HOST_MEMORY);
    return done ? block : NULL;
}

void cgcm_note(const char *name, const void *block, size_t bytes)
{
    cgcm_declare_as(name, block, bytes, CGCM_HEAP, 0);
}

void *cgcm_malloc(const char *name, size_t bytes)
{
    cgcm_enter();
    return cgcm_noted(name, malloc(bytes), bytes);
}

void *cgcm_calloc(const char *name, size_t count, size_t size)
{
    cgcm_enter();
    return cgcm_noted(name, calloc(count, size), count * size);
}

int cgcm_posix_memalign(const char *name, void **block, size_t alignment, size_t bytes)
{
    void *made = NULL;
    cgcm_enter();
    const int status = posix_memalign(&made, alignment, bytes);
    void *const noted = cgcm_noted(name, status ? NULL : made, bytes);
    if (noted != NULL)
        *block = noted;
    return status || noted != NULL ? status : 12; /* ENOMEM */
}

void *cgcm_aligned_alloc(const char *name, size_t alignment, size_t bytes)
{
    void *made = NULL;
    const int status = cgcm_posix_memalign(name, &made, alignment < sizeof(void *) ? sizeof(void *) : alignment, bytes);
    return status ? NULL : made;
}

void *cgcm_realloc(const char *name, void *block, size_t bytes)
{
    cgcm_enter();
    cgcm_unit *unit = block ? cgcm_beginning(block) : NULL;
    const cgcm_unit old = unit ? *unit : (cgcm_unit){.name = NULL};
    const int done = unit == NULL || cgcm_is_unmapped(unit, "is reallocated");
    if (!done || !cgcm_has_spare()) { /* a block that has moved cannot be taken back */
        cgcm_leave(done);
        return NULL;
    }
    if (unit != NULL)
        cgcm_remove(unit);
    void *const made = realloc(block, bytes);
    if (made == NULL && bytes > 0 && old.name != NULL)
        cgcm_add(old.name, block, old.size, old.kind, old.is_read_only);
    return cgcm_noted(name, made, bytes);
}

void cgcm_free(void *block)
{
    if (block == NULL)
        return;
    cgcm_enter();
    cgcm_unit *unit = cgcm_beginning(block);
    const int done = unit == NULL || cgcm_is_unmapped(unit, "is freed");
    if (done && unit != NULL)
        cgcm_remove(unit);
    if (done)
        free(block);
    cgcm_leave(done);
}

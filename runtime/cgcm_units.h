/* The allocation units of a program, ordered by address: a treap, whose priorities are hashes of the addresses.  A part of cgcm.c. */
#ifndef CGCM_UNITS_H
#define CGCM_UNITS_H

typedef enum { CGCM_GLOBAL, CGCM_HEAP, CGCM_LOCAL, CGCM_DECLARED } cgcm_kind;

typedef struct {
    cgcm_address at;
    unsigned long count; /* maps without their releases; 0: it is not there */
} cgcm_copy;

typedef struct cgcm_unit cgcm_unit;
struct cgcm_unit {
    cgcm_unit *left, *right;   /* in the treap */
    cgcm_unit *older, *newer;  /* among local variables */
    const char *name;
    uintptr_t base;
    size_t size;
    cgcm_kind kind;
    int is_read_only;
    unsigned long serial;      /* of a local variable */
    const void *thread;        /* whose local variable it is */
    cgcm_address twin;         /* of a global variable: its place on the device, or 0 */
    cgcm_copy data, table;     /* the contents, and what takes their place where they are pointers */
    unsigned long held;        /* maps of the data that arrays of pointers made */
    unsigned long epoch;       /* at which the data was equal on both sides */
    uint64_t sum;              /* of what it was then, where the host's writes are checked */
    void **slots;              /* the pointers that `table` was made of */
};

static uint64_t cgcm_priority(uintptr_t base)
{
    uint64_t mixed = (uint64_t)base * UINT64_C(0x9E3779B97F4A7C15);
    mixed ^= mixed >> 29;
    mixed *= UINT64_C(0xBF58476D1CE4E5B9);
    return mixed ^ mixed >> 32;
}

/* The units below `base`, and those from there on. */
static void cgcm_split(cgcm_unit *tree, uintptr_t base, cgcm_unit **below, cgcm_unit **from)
{
    if (tree == NULL) {
        *below = *from = NULL;
    } else if (tree->base < base) {
        *below = tree;
        cgcm_split(tree->right, base, &tree->right, from);
    } else {
        *from = tree;
        cgcm_split(tree->left, base, below, &tree->left);
    }
}

/* Two trees as one; all of the first is below the second. */
static cgcm_unit *cgcm_join(cgcm_unit *below, cgcm_unit *from)
{
    if (below == NULL || from == NULL)
        return below ? below : from;
    if (cgcm_priority(below->base) > cgcm_priority(from->base)) {
        below->right = cgcm_join(below->right, from);
        return below;
    }
    from->left = cgcm_join(below, from->left);
    return from;
}

static void cgcm_insert(cgcm_unit **root, cgcm_unit *unit)
{
    cgcm_unit *below, *from;
    cgcm_split(*root, unit->base, &below, &from);
    *root = cgcm_join(cgcm_join(below, unit), from);
}

static void cgcm_take_out(cgcm_unit **root, cgcm_unit *unit)
{
    cgcm_unit *below, *from, *own;
    cgcm_split(*root, unit->base, &below, &from);
    cgcm_split(from, unit->base + 1, &own, &from);
    *root = cgcm_join(below, from);
    unit->left = unit->right = NULL;
}

/* The unit with the greatest base that is not above `at`. */
static cgcm_unit *cgcm_greatest(cgcm_unit *tree, uintptr_t at)
{
    cgcm_unit *found = NULL;
    while (tree != NULL) {
        if (tree->base <= at)
            found = tree;
        tree = tree->base <= at ? tree->right : tree->left;
    }
    return found;
}

/* The unit of a pointer; one past the end is a valid pointer, too. */
static cgcm_unit *cgcm_unit_of(cgcm_unit *tree, const void *pointer)
{
    cgcm_unit *found = cgcm_greatest(tree, (uintptr_t)pointer);
    return found != NULL && (uintptr_t)pointer - found->base <= found->size ? found : NULL;
}

/* A unit that has a byte of the stretch; one without bytes has its address for itself. */
static cgcm_unit *cgcm_overlapping(cgcm_unit *tree, uintptr_t base, size_t size)
{
    cgcm_unit *found = cgcm_greatest(tree, base + (size ? size - 1 : 0));
    return found != NULL && found->base + (found->size ? found->size : 1) > base ? found : NULL;
}

static int cgcm_is_mapped(const cgcm_unit *unit)
{
    return unit->data.count > 0 || unit->table.count > 0;
}

#endif

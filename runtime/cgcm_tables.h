/* Units that consist of pointers: what they lead to, and what the device gets in their place.  A part of cgcm.c. */

static size_t cgcm_length(const cgcm_unit *unit)
{
    return unit->size / sizeof(void *);
}

static int cgcm_is_mixed(const cgcm_unit *unit, size_t slot, const void *value)
{
    return cgcm_wrong(CGCM_MIXED_UNIT,
                      "pointer %zu of %s is %p, which leads to no allocation unit: declare what it points to (cgcm_declare), make it a "
                      "null pointer if it is not in use, or keep pointers and other data in units of their own", slot, unit->name, value);
}

static cgcm_unit *cgcm_target(const void *value)
{
    return value ? cgcm_unit_of(cgcm_all.root, value) : NULL;
}

/* Releases the first `length` targets; where that was the last map, what kernels wrote comes back first if it `returns`. */
static int cgcm_release_slots(void *const *slots, size_t length, int returns)
{
    for (size_t k = 0; k < length; k++) {
        cgcm_unit *target = cgcm_target(slots[k]);
        if (target == NULL)
            continue;
        if (returns && target->data.count == 1 && !cgcm_unmap_data(target))
            return 0;
        target->held--;
        if (!cgcm_release_data(target))
            return 0;
    }
    return 1;
}

/* Maps all targets; or none. */
static int cgcm_map_slots(const cgcm_unit *unit, void *const *slots, cgcm_address *addresses)
{
    const size_t length = cgcm_length(unit);
    for (size_t k = 0; k < length; k++)
        if (slots[k] != NULL && cgcm_target(slots[k]) == NULL)
            return cgcm_is_mixed(unit, k, slots[k]);
    for (size_t k = 0; k < length; k++) {
        cgcm_unit *target = cgcm_target(slots[k]);
        if (target != NULL && !cgcm_map_data(target)) {
            const cgcm_error error = cgcm_all.error;
            cgcm_release_slots(slots, k, 0);
            cgcm_all.error = error;
            return 0;
        }
        addresses[k] = 0;
        if (target == NULL)
            continue;
        addresses[k] = target->data.at + ((uintptr_t)slots[k] - target->base);
        target->held++;
    }
    return 1;
}

/* Makes the device's array anew from `slots`, which it keeps if all goes well. */
static int cgcm_fill_table(cgcm_unit *unit, void **slots, cgcm_address *addresses)
{
    const size_t length = cgcm_length(unit), bytes = length * sizeof *addresses;
    for (size_t k = 0; unit->slots && k < length; k++)
        if (unit->slots[k] && !cgcm_may_return(cgcm_target(unit->slots[k])))
            return 0;
    if (!cgcm_map_slots(unit, slots, addresses))
        return 0;
    if (unit->table.count == 0 && (unit->table.at = cgcm_allocated(unit, bytes)) == 0) {
        cgcm_release_slots(slots, length, 0);
        return 0;
    }
    if (!cgcm_wait(unit) || !cgcm_device_did(cgcm_all.device->copy_in(unit->table.at, addresses, bytes), "copy to the device", unit->name)
        || (unit->slots && !cgcm_release_slots(unit->slots, length, 1)))
        return 0;
    cgcm_count_in(unit->name, bytes);
    free(unit->slots);
    unit->slots = slots;
    return 1;
}

static int cgcm_map_table(cgcm_unit *unit)
{
    const size_t length = cgcm_length(unit);
    if (unit->size % sizeof(void *))
        return cgcm_wrong(CGCM_MIXED_UNIT, "%s is no array of pointers: it has %zu bytes", unit->name, unit->size);
    if (unit->table.count == 0 || memcmp(unit->slots, (const void *)unit->base, unit->size)) {
        void **slots = (void **)malloc(unit->size + 1);
        cgcm_address *addresses = (cgcm_address *)malloc(length * sizeof *addresses + 1);
        int done = slots != NULL && addresses != NULL;
        if (!done)
            cgcm_wrong(CGCM_NO_HOST_MEMORY, "no host memory is left for a copy of %s", unit->name);
        else
            memcpy(slots, (const void *)unit->base, unit->size);
        done = done && cgcm_fill_table(unit, slots, addresses);
        free(addresses);
        if (!done) {
            free(slots);
            return 0;
        }
    }
    unit->table.count++;
    return 1;
}

static int cgcm_unmap_table(cgcm_unit *unit)
{
    if (unit->table.count == 0)
        return cgcm_wrong(CGCM_NOT_MAPPED, "%s is to be unmapped and is not mapped as an array of pointers", unit->name);
    for (size_t k = 0; k < cgcm_length(unit); k++)
        if (unit->slots[k] && !cgcm_unmap_data(cgcm_target(unit->slots[k])))
            return 0;
    return 1;
}

static int cgcm_release_table(cgcm_unit *unit)
{
    if (unit->table.count == 0)
        return cgcm_wrong(CGCM_NOT_MAPPED, "%s is released more often than it was mapped as an array of pointers", unit->name);
    if (--unit->table.count > 0)
        return 1;
    void **slots = unit->slots;
    unit->slots = NULL;
    const int done = cgcm_wait(unit) && cgcm_release_slots(slots, cgcm_length(unit), 0)
        && cgcm_deallocate(unit, unit->table.at, cgcm_length(unit) * sizeof(cgcm_address));
    free(slots);
    return done;
}

/* How the driver gets at a device that is host memory. */
static void device_use(void)
{
    cgcm_use_host();
}

static void device_write(cgcm_address at, uint64_t value)
{
    *(uint64_t *)(uintptr_t)at = value;
}

static uint64_t device_read(cgcm_address at)
{
    return *(const uint64_t *)(uintptr_t)at;
}

static void device_end(void)
{
}

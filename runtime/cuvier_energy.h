/* What versions draw, and what the processor has drawn.
 *
 * After Dollinger (PhD thesis, Strasbourg 2015), section 5.3.6: the active power of a device, less what it draws idle, for the
 * iterations that it makes.  A launch that is divided needs as many joules as its parts, so that none needs fewer than the better
 * version alone. */
#ifndef CUVIER_ENERGY_H
#define CUVIER_ENERGY_H

/* CUVIER_WATTS=65,300: of the host with all its threads, and of the device. */
CUVIER_FUNCTION void cuvier_read_watts(double watts[2])
{
    const char *text = getenv("CUVIER_WATTS");
    char *end = NULL;
    watts[0] = watts[1] = 0;
    if (text == NULL || *text == 0)
        return;
    watts[0] = strtod(text, &end);
    if (*end == ',')
        watts[1] = strtod(end + 1, &end);
    if (*end || !(watts[0] > 0 && watts[1] > 0)) {
        fprintf(stderr, "cuvier: CUVIER_WATTS=%s: expected the watts of host and device, such as 65,300\n", text);
        exit(1);
    }
}

static inline double cuvier_watts(const cuvier_site *site, int version)
{
    return cuvier_chosen.watts[version] > 0 ? cuvier_chosen.watts[version] : site->watts[version];
}

/* A number in a file of the counter's folder; < 0: there is none. */
CUVIER_FUNCTION double cuvier_energy_file(const char *name)
{
    const char *folder = getenv("CUVIER_RAPL");
    char path[512];
    double value = -1;
    snprintf(path, sizeof path, "%s/%s", folder && *folder ? folder : "/sys/class/powercap/intel-rapl:0", name);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return -1;
    if (fscanf(file, "%lf", &value) != 1)
        value = -1;
    fclose(file);
    return value;
}

/* The joules that the first processor has drawn, by its counter (RAPL); < 0: it has none that may be read. */
CUVIER_FUNCTION double cuvier_joules(void)
{
    const double micro = cuvier_energy_file("energy_uj");
    return micro < 0 ? -1 : micro * 1e-6;
}

/* Those since the program began; < 0: nobody knows. */
CUVIER_FUNCTION double cuvier_joules_drawn(void)
{
    const double now = cuvier_joules(), before = cuvier_chosen.joules;
    const double range = now >= 0 && now < before ? cuvier_energy_file("max_energy_range_uj") : 0;
    return now < 0 || before < 0 || range < 0 ? -1 : now - before + range * 1e-6;
}

#endif

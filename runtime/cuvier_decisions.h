/* What was decided and measured, for people and programs: the logs of cuvier_versions.h. */
#ifndef CUVIER_DECISIONS_H
#define CUVIER_DECISIONS_H

/* The open device, by its name and its driver's version, without what JSON and C strings cannot have. */
CUVIER_FUNCTION void cuvier_device_called(char *text, size_t size)
{
    char name[160] = "", driver[64] = "";
#ifdef CL_VERSION_1_0
    const cl_device_id device = cuvier_opened.device;
    cuvier_check(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name - 1, name, NULL), "profile", "clGetDeviceInfo", "its name");
    cuvier_check(clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof driver - 1, driver, NULL), "profile", "clGetDeviceInfo", "its driver");
#else
    int version = 0;
    cudaDeviceProp found;
    cuvier_check(cudaGetDeviceProperties(&found, 0), "profile", "cudaGetDeviceProperties", "its name");
    cuvier_check(cudaDriverGetVersion(&version), "profile", "cudaDriverGetVersion", "its driver");
    snprintf(name, sizeof name, "%.150s", found.name);
    snprintf(driver, sizeof driver, "CUDA %d.%d", version / 1000, version % 1000 / 10);
#endif
    snprintf(text, size, "%s, driver %s", name, driver);
    for (char *at = text; *at; at++)
        if (*at == '"' || *at == '\\' || (unsigned char)*at < ' ')
            *at = ' ';
}

CUVIER_FUNCTION void cuvier_print_decisions(FILE *file)
{
    const cuvier_choices *c = &cuvier_chosen;
    fprintf(file, "cuvier: policy %s\n%-24s %8s %12s %8s %12s\n", cuvier_policies[c->policy], "kernel", "host", "s", "device", "s");
    for (const cuvier_site *site = c->sites; site; site = site->next) {
        const cuvier_version *host = &site->versions[CUVIER_HOST], *device = &site->versions[CUVIER_DEVICE];
        fprintf(file, "%-24s %8lu %12.6f %8lu %12.6f\n", site->kernel, host->runs, host->seconds, device->runs, device->seconds);
    }
}

CUVIER_FUNCTION void cuvier_write_version(FILE *file, const char *name, const cuvier_version *version)
{
    fprintf(file, "\"%s\": {\"runs\": %lu, \"measured\": %lu, \"seconds\": %.9g, \"factor\": %.6g}", name, version->runs, version->measured,
            version->seconds, version->factor);
}

CUVIER_FUNCTION void cuvier_write_decisions(void)
{
    const cuvier_choices *c = &cuvier_chosen;
    if (strcmp(c->log, "-") == 0) {
        cuvier_print_decisions(stderr);
        return;
    }
    FILE *file = fopen(c->log, "w");
    if (file == NULL) {
        fprintf(stderr, "cuvier: CUVIER_DECISIONS=%s: cannot be written\n", c->log);
        return;
    }
    const double joules = cuvier_joules_drawn();
    fprintf(file, "{\"policy\": \"%s\", ", cuvier_policies[c->policy]);
    if (joules >= 0)
        fprintf(file, "\"joules\": %.9g, ", joules);
    fprintf(file, "\"kernels\": [");
    for (const cuvier_site *site = c->sites; site; site = site->next) {
        fprintf(file, "%s\n  {\"kernel\": \"%s\", ", site == c->sites ? "" : ",", site->kernel);
        cuvier_write_version(file, "host", &site->versions[CUVIER_HOST]);
        fprintf(file, ", ");
        cuvier_write_version(file, "device", &site->versions[CUVIER_DEVICE]);
        fprintf(file, ", \"watts\": {\"host\": %.6g, \"device\": %.6g}}", cuvier_watts(site, CUVIER_HOST), cuvier_watts(site, CUVIER_DEVICE));
    }
    static const char *const taken[] = {"host", "device", "both"};
    fprintf(file, "],\n \"all\": %lu, \"decisions\": [", (unsigned long)c->all);
    for (size_t k = 0; k < c->count; k++) {
        const cuvier_decision *d = &c->decisions[k];
        fprintf(file, "%s\n  {\"kernel\": \"%s\", \"taken\": \"%s\", \"iterations\": %.17g, \"predicted\": {\"host\": %.6g, \"device\": %.6g}, ",
                k ? "," : "", d->kernel, taken[d->taken], d->iterations, d->predicted[0], d->predicted[1]);
        if (d->taken == CUVIER_BOTH)
            fprintf(file, "\"part\": %.6g, \"seconds\": {\"host\": %.6g, \"device\": %.6g}, ", d->part, d->seconds[0], d->seconds[1]);
        fprintf(file, "\"to_device\": %.17g, \"to_host\": %.17g, \"measured\": ", d->moves.to_device, d->moves.to_host);
        if (d->measured < 0)
            fprintf(file, "null}");
        else
            fprintf(file, "%.6g}", d->measured);
    }
    fprintf(file, "]}\n");
    fclose(file);
}

enum { CUVIER_MOST_POINTS = 4096 };

/* A launch of this size took so long. */
CUVIER_FUNCTION void cuvier_note(cuvier_version *version, const cuvier_size *size, double seconds)
{
    size_t k = version->point_count;
    while (k > 0 && memcmp(&version->points[k - 1].size, size, sizeof *size) != 0)
        k--;
    if (k == 0) {
        if (version->point_count == CUVIER_MOST_POINTS)
            return;
        const cuvier_point fresh = {*size, seconds, 0, 0};
        version->points = (cuvier_point *)cuvier_grown(version->points, (version->point_count + 1) * sizeof fresh);
        version->points[version->point_count] = fresh;
        k = ++version->point_count;
    }
    cuvier_point *point = &version->points[k - 1];
    point->seconds += seconds;
    point->count++;
    point->fastest = seconds < point->fastest ? seconds : point->fastest;
}

CUVIER_FUNCTION void cuvier_write_profile(void)
{
    char called[256] = "";
    const char *between = "";
    FILE *file = fopen(cuvier_chosen.profile, "w");
    if (file == NULL) {
        fprintf(stderr, "cuvier: CUVIER_PROFILE=%s: cannot be written\n", cuvier_chosen.profile);
        return;
    }
    if (cuvier_chosen.is_open)
        cuvier_device_called(called, sizeof called);
    fprintf(file, "{\"device\": \"%s\", \"threads\": %d, \"points\": [", called, cuvier_host_threads());
    for (const cuvier_site *site = cuvier_chosen.sites; site; site = site->next)
        for (int version = CUVIER_HOST; version <= CUVIER_DEVICE; version++)
            for (size_t k = 0; k < site->versions[version].point_count; k++) {
                const cuvier_point *p = &site->versions[version].points[k];
                fprintf(file, "%s\n  {\"kernel\": \"%s\", \"version\": \"%s\", \"outer\": %.17g, \"parallel\": %.17g, \"work\": %.17g, ", between,
                        site->kernel, version == CUVIER_HOST ? "host" : "device", p->size.outer, p->size.parallel, p->size.work);
                fprintf(file, "\"count\": %lu, \"fastest\": %.9g, \"seconds\": %.9g}", p->count, p->fastest, p->seconds);
                between = ",";
            }
    fprintf(file, "]}\n");
    fclose(file);
}

#endif

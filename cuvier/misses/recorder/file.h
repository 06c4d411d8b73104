/* The files that the recorder writes, whose names are in the environment: records as models/cache reads them, and
 * lines of text: `place NUMBER ADDRESS` for each place in the program's code, and what else the includer says. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { CUVIER_PLACES = 1 << 16, CUVIER_WRITE = 0x8000 };

struct cuvier_record {
    uint64_t address;
    uint32_t reference;
    uint16_t kind, thread;
};

static FILE *cuvier_records, *cuvier_lines;
static struct {
    uintptr_t code;
    uint32_t number;
} cuvier_places[CUVIER_PLACES];
static uint32_t cuvier_place_count;

static FILE *cuvier_open(const char *variable)
{
    const char *name = getenv(variable);
    FILE *file = name ? fopen(name, "wb") : NULL;
    if (file == NULL) {
        fprintf(stderr, "recorder: %s names no file that can be written\n", variable);
        _Exit(3);
    }
    return file;
}

static void cuvier_open_files(void)
{
    cuvier_lines = cuvier_open("CUVIER_RECORDER_PLACES");
    cuvier_records = cuvier_open("CUVIER_RECORDER_RECORDS");
    setvbuf(cuvier_records, NULL, _IOFBF, 1 << 20);
}

/* The number of a place in code; places beyond the table share the last one. */
static uint32_t cuvier_place(void *code)
{
    uintptr_t address = (uintptr_t)code - 1; /* inside of the call */
    uint32_t at = (uint32_t)(address * 0x9e3779b1u) % CUVIER_PLACES;
    while (cuvier_places[at].code != address) {
        if (cuvier_places[at].code == 0 && cuvier_place_count < CUVIER_PLACES - 1) {
            cuvier_places[at].code = address;
            cuvier_places[at].number = cuvier_place_count++;
            fprintf(cuvier_lines, "place %u %lx\n", cuvier_places[at].number, (unsigned long)address);
            break;
        }
        at = (at + 1) % CUVIER_PLACES;
    }
    return cuvier_places[at].number;
}

static inline void cuvier_write(uint64_t address, uint32_t reference, uint16_t kind, uint16_t thread)
{
    struct cuvier_record record;
    record.address = address;
    record.reference = reference;
    record.kind = kind;
    record.thread = thread;
    fwrite_unlocked(&record, sizeof record, 1, cuvier_records);
}

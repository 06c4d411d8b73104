/* Bytes are packed by run lengths, unpacked again, and checked by a CRC from a table. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct buffer {
	uint8_t *data;
	size_t used, room;
};

static uint32_t crc_table[256];

static void crc_init(void)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;
		for (int k = 0; k < 8; k++)
			c = c & 1 ? 0xEDB88320u ^ (c >> 1) : c >> 1;
		crc_table[i] = c;
	}
}

static uint32_t crc(const struct buffer *b)
{
	uint32_t c = 0xFFFFFFFFu;
	const uint8_t *p = b->data, *end = p + b->used;

	while (p != end)
		c = crc_table[(c ^ *p++) & 255] ^ (c >> 8);
	return ~c;
}

static void put(struct buffer *b, uint8_t byte)
{
	if (b->used == b->room) {
		b->room = b->room ? 2 * b->room : 64;
		b->data = realloc(b->data, b->room);
		if (b->data == NULL)
			abort();
	}
	b->data[b->used++] = byte;
}

static void pack(const struct buffer *in, struct buffer *out)
{
	size_t i = 0;

	out->used = 0;
	while (i < in->used) {
		size_t run = 1;
		while (run < 255 && i + run < in->used && in->data[i + run] == in->data[i])
			run++;
		put(out, (uint8_t)run);
		put(out, in->data[i]);
		i += run;
	}
}

static void unpack(const struct buffer *in, struct buffer *out)
{
	out->used = 0;
	for (size_t i = 0; i + 1 < in->used; i += 2)
		for (uint8_t k = 0; k < in->data[i]; k++)
			put(out, in->data[i + 1]);
}

static void invent(struct buffer *b, size_t size, uint32_t seed)
{
	b->used = 0;
	while (b->used < size) {
		seed = seed * 1664525u + 1013904223u;
		for (uint32_t n = 1 + (seed >> 28); n > 0; n--)
			put(b, (uint8_t)(seed >> 16 & 7));
	}
}

int main(int argc, char **argv)
{
	size_t size = argc > 1 ? strtoul(argv[1], NULL, 10) : 300000, packed = 0;
	int times = argc > 2 ? atoi(argv[2]) : 55, same = 0;
	struct buffer a = {0}, b = {0}, c = {0};
	uint32_t sum = 0;
	struct timespec t0, t1;

	crc_init();
	clock_gettime(CLOCK_MONOTONIC, &t0);
	for (int k = 0; k < times; k++) {
		invent(&a, size, (uint32_t)k);
		pack(&a, &b);
		unpack(&b, &c);
		same += a.used == c.used && memcmp(a.data, c.data, a.used) == 0;
		packed += b.used;
		sum ^= crc(&b) + (uint32_t)k;
	}
	clock_gettime(CLOCK_MONOTONIC, &t1);
	printf("%d of %d, %zu, %08x\n", same, times, packed, (unsigned)sum);
	fprintf(stderr, "%.6f\n", (double)(t1.tv_sec - t0.tv_sec) + 1e-9 * (double)(t1.tv_nsec - t0.tv_nsec));
	return 0;
}

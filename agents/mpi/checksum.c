/* 64 lanes of 32 bits, each a multiply and a shift per word, so that vectors of any width do the work. Bytes are words
   in host order; the last block is filled up with zeroes, and the length goes into the sum. */
#include "checksum.h"

#include <string.h>

#include "hot.h"

enum { VECTORS = 4 };

/* As wide as any processor has; the compiler splits it where registers are narrower. */
typedef uint32_t lanes __attribute__((vector_size(CHECKSUM_BLOCK / VECTORS)));

struct checksum checksum_begin(uint64_t seed)
{
    struct checksum c = {.seed = seed};
    for (uint32_t i = 0; i < CHECKSUM_BLOCK / 4; i++) c.lane[i] = (uint32_t)seed + i * 0x9e3779b9u;
    return c;
}

HOT static void add_blocks(uint32_t *lane, const char *p, size_t blocks)
{
    lanes sum[VECTORS], word[VECTORS];
    memcpy(sum, lane, sizeof sum);
    for (; blocks > 0; blocks--, p += sizeof word) {
        memcpy(word, p, sizeof word);
        for (int i = 0; i < VECTORS; i++) {
            lanes x = (sum[i] ^ word[i]) * 0x9e3779b1u;
            sum[i] = x ^ x >> 15;
        }
    }
    memcpy(lane, sum, sizeof sum);
}

void checksum_add(struct checksum *c, const void *data, size_t bytes)
{
    add_blocks(c->lane, data, bytes / CHECKSUM_BLOCK);
    c->bytes += bytes;
}

uint64_t checksum_end(const struct checksum *c)
{
    uint64_t sum = c->seed ^ c->bytes;
    for (int i = 0; i < CHECKSUM_BLOCK / 4; i++) {
        sum = (sum ^ c->lane[i]) * 0x9fb21c651e98df25u;
        sum ^= sum >> 32;
    }
    return sum;
}

uint64_t checksum(uint64_t seed, const void *data, size_t bytes)
{
    struct checksum c = checksum_begin(seed);
    char last[CHECKSUM_BLOCK] = {0};
    size_t whole = bytes / CHECKSUM_BLOCK * CHECKSUM_BLOCK;
    checksum_add(&c, data, whole);
    memcpy(last, (const char *)data + whole, bytes - whole);
    if (bytes > whole) checksum_add(&c, last, sizeof last);
    return checksum_end(&c);
}

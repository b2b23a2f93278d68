/* A 64-bit sum of bytes that runs at memory speed; guards against damage, not against intent. */
#ifndef PREDICT_MPI_CHECKSUM_H
#define PREDICT_MPI_CHECKSUM_H
#include <stddef.h>
#include <stdint.h>

enum { CHECKSUM_BLOCK = 256 };

/* 64 lanes of 32 bits. A lane's step is one-to-one in the lane and in the word, so one changed word always
   changes the sum's input, and damage to several goes unseen once in 2^32 or less. */
struct checksum {
    uint32_t lane[CHECKSUM_BLOCK / 4];
    uint64_t seed, bytes;
};

struct checksum checksum_begin(uint64_t seed);
void checksum_add(struct checksum *c, const void *data, size_t bytes); /* whole blocks only */
uint64_t checksum_end(const struct checksum *c);

/* Any length at once. */
uint64_t checksum(uint64_t seed, const void *data, size_t bytes);

#endif

/* A set of vertices of a piece with a value for each, as a message: the bytes of the set, the set (pieces.h), then the
   values by ascending vertex. The empty set is an empty message. */
#ifndef G500_SET_VALUES_H
#define G500_SET_VALUES_H
#include <stddef.h>
#include <stdint.h>

#include "net.h"

/* Bytes of the longest such message of a piece of so many words. */
size_t set_values_room(uint32_t words);

/* Writes values[v] of each v in `bits` into the room of `out`. */
void set_values_encode(const uint64_t *bits, uint32_t words, const float *values, struct message *out);

/* Fills `bits`; returns the values, which stand in the message. */
const uint8_t *set_values_decode(struct message in, uint64_t *bits, uint32_t words);

#endif

/* Bitmap pieces as messages: as they are, or as a list of gaps when that is shorter.
   A message of exactly the bitmap's length is the bitmap; any shorter one is the list, each gap to the
   previous set bit in 7-bit groups, low group first; an empty message is the empty set. */
#ifndef G500_PIECES_H
#define G500_PIECES_H
#include <stdint.h>

#include "net.h"

/* Message for `words` words with `set` bits set; points at `bits` or into `room` (words * 8 bytes). */
struct message piece_encode(const uint64_t *bits, uint32_t words, uint64_t set, uint8_t *room);

/* Writes the piece over `bits`, or adds it to them. */
void piece_decode(struct message m, uint64_t *bits, uint32_t words);
void piece_decode_onto(struct message m, uint64_t *bits, uint32_t words);

uint64_t count_bits(const uint64_t *bits, uint32_t words);

#endif

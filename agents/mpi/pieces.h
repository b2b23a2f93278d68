/* Bitmap pieces as messages: as they are, or as a list of gaps when that is shorter.
   A message of exactly the bitmap's length is the bitmap; any shorter one is the list, each gap to the
   previous set bit in 7-bit groups, low group first. The empty set is an empty message, or one byte of
   128 (a gap without its end): that one says besides that the sender knows of bits in other pieces. */
#ifndef PREDICT_MPI_PIECES_H
#define PREDICT_MPI_PIECES_H
#include <stdint.h>

#include "net.h"

/* Message for `words` words; points at `bits` or into `room` (words * 8 bytes). `elsewhere`: what an
   empty set is to tell; any other message tells it without. */
struct message piece_encode(const uint64_t *bits, uint32_t words, uint64_t elsewhere, uint8_t *room);

/* Room for a received message. */
static inline uint64_t piece_room(uint32_t words) { return words ? (uint64_t)words * 8 : 1; }

int piece_is_empty(struct message m);

/* Writes the piece over `bits`, or adds it to them. */
void piece_decode(struct message m, uint64_t *bits, uint32_t words);
void piece_decode_onto(struct message m, uint64_t *bits, uint32_t words);

uint64_t count_bits(const uint64_t *bits, uint32_t words);

#endif

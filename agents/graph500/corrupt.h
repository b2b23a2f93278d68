/* For tests: damages a search's result so that one rule of validation must fail. */
#ifndef G500_CORRUPT_H
#define G500_CORRUPT_H

#include "bfs.h"

/* Call on all ranks. `levels` are the claimed levels of the piece. */
void corrupt(struct bfs *b, uint8_t *levels, int rule);

#endif

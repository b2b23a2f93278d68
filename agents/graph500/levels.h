/* Claimed levels, a byte per vertex, from the owners to all that must check them. */
#ifndef G500_LEVELS_H
#define G500_LEVELS_H

#include "bfs.h"

#define NO_LEVEL 255

/* The claimed level of every label that this rank owns, by own_index (layout.h), NO_LEVEL if not reached; to be freed.
 */
uint8_t *claimed_levels(const struct bfs *b);

/* Levels of the row block by row_index and of the column block by col_index; on one rank the same. To be freed. */
void levels_spread(const struct graph *g, const uint8_t *levels, uint8_t **row_level, uint8_t **col_level);

#endif

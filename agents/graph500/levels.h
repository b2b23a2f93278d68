/* Claimed levels, a byte per vertex, or distances, from the owners to all that must check them. */
#ifndef G500_LEVELS_H
#define G500_LEVELS_H

#include "bfs.h"

#define NO_LEVEL 255

/* The claimed level of every label that this rank owns, by own_index (layout.h), NO_LEVEL if not reached; to be freed.
 */
uint8_t *claimed_levels(const struct bfs *b);

/* Own values by own_index, levels of one byte or others of `width`, to the row block by row_index and the column block
   by col_index; on one rank the same. To be freed. */
void values_spread(const struct graph *g, const void *values, size_t width, void **row_values, void **col_values);

#endif

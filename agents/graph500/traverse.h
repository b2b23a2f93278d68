/* The two ways to do the local work of a level. */
#ifndef G500_TRAVERSE_H
#define G500_TRAVERSE_H

#include "graph.h"

/* Both mark new row-block vertices in `found` (overwritten) and in `visited`, and note a parent each; in `other`, who
   of them may have one that is not the first of its list in by_row. */
void traverse_top_down(const struct graph *g, const uint64_t *frontier, uint64_t *visited, uint64_t *found,
                       uint64_t *other, uint32_t *parent);
void traverse_bottom_up(const struct graph *g, const uint64_t *frontier, uint64_t *visited, uint64_t *found,
                        uint64_t *other, uint32_t *parent);

#endif

/* Compressed adjacency from edge lists. */
#ifndef G500_ADJACENCY_H
#define G500_ADJACENCY_H

#include "graph.h"
#include "relabel.h"

/* Both renumber the input edges in place and fill by_row and by_col. */
void adjacency_alone(struct graph *g, const uint32_t *map);
void adjacency_on_grid(struct graph *g, const struct numbering *n, struct edge_list *mirror,
                       const uint32_t *col_degree);

#endif

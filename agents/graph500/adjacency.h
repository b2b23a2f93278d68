/* Compressed adjacency from edge lists. */
#ifndef G500_ADJACENCY_H
#define G500_ADJACENCY_H

#include "edges.h"
#include "graph.h"
#include "relabel.h"

/* Exclusive prefix sums, count[size] included. */
uint32_t *prefix_sums(const uint32_t *count, uint32_t size);

/* Both renumber the edges in place, fill by_row and by_col, and free the edges. */
void adjacency_alone(struct graph *g, const uint32_t *map, struct edge_list *input);
void adjacency_on_grid(struct graph *g, const struct numbering *n, struct edge_list *input, struct edge_list *mirror,
                       const uint32_t *col_degree);

#endif

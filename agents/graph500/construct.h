/* Kernel 1: from edge lists to the structures that the search uses. */
#ifndef G500_CONSTRUCT_H
#define G500_CONSTRUCT_H

#include "edges.h"
#include "graph.h"

/* Frees the edges. Also chooses at least `keys` search keys, if the graph has them. */
void construct(struct graph *g, struct edge_picks *edges, uint32_t keys);

#endif

/* Kernel 1: from edge lists to the structures that the search uses. */
#ifndef G500_CONSTRUCT_H
#define G500_CONSTRUCT_H

#include "edges.h"
#include "graph.h"

/* Frees `input` and `mirror`. Also chooses at least `keys` search keys, if the graph has them. */
void construct(struct graph *g, const struct layout *l, struct edge_list *input, struct edge_list *mirror,
               uint32_t keys);

#endif

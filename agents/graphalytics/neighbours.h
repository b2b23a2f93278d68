/* Neighbours whatever the direction. */
#ifndef GA_NEIGHBOURS_H
#define GA_NEIGHBOURS_H

#include "graph.h"

/* Those of an own vertex that stand before it in the order, into `to` from *kept on: indices shifted left, lowest bit:
   edges both ways. Returns the number of all its neighbours. */
uint32_t neighbours_before(const struct graph *g, const uint64_t *order, uint32_t v, uint32_t *to, uint64_t *kept);

#endif

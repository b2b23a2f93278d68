/* The parts that a rank's edges join its vertices and ghosts to. */
#ifndef GA_JOIN_H
#define GA_JOIN_H

#include "graph.h"

/* part: per index, the smallest index of its part. */
void join_here(const struct graph *g, uint32_t *part);

#endif

/* Fewer copies, for algorithms that add up what neighbours give: one end of an edge between two ranks is enough. */
#ifndef GA_COVER_H
#define GA_COVER_H

#include "graph.h"

/* Of every edge between two ranks, one end is copied, and the rank of the other end works on it in both directions:
   `in` keeps these edges, `back` gets them by copy, and copies without an edge are gone. `spread` is too; undirected
   `out` is `in`. Nothing changes on one rank. */
void cover_cut(struct graph *g);

#endif

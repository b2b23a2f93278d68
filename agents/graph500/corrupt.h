/* For tests: damages a search's result, or the graph before it, so that one rule of validation must fail. */
#ifndef G500_CORRUPT_H
#define G500_CORRUPT_H

#include "bfs.h"

/* Faults by the number that --corrupt takes: 1 to 5 break that rule in the tree. */
enum fault {
    LOST_EDGES = 6, /* the adjacency has no edge to a vertex that the list joins: rule 4 */
    STRAY_EDGE = 7, /* the adjacency joins a vertex to a stranger alone: rule 5 */
    WRONG_LABEL = 8 /* two vertices have each other's label: rule 5 */
};

/* Call on all ranks. `levels` are the claimed levels as claimed_levels gives them. */
void corrupt(struct bfs *b, uint8_t *levels, int fault);

/* Damages a graph that was built, not mapped, if the fault is one of the graph's. Call on all ranks. */
void corrupt_graph(struct graph *g, int fault);

#endif

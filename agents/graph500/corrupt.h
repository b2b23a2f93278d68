/* For tests: damages a search's result, or the graph before it, so that one rule of validation must fail. */
#ifndef G500_CORRUPT_H
#define G500_CORRUPT_H

#include "bfs.h"

/* Faults by the number that --corrupt takes: 1 to 5 break that rule in the tree; the last three are of kernel 3. */
enum fault {
    LOST_EDGES = 6,      /* the adjacency has no edge to a vertex that the list joins: rule 4 */
    STRAY_EDGE = 7,      /* the adjacency joins a vertex to a stranger alone: rule 5 */
    WRONG_LABEL = 8,     /* two vertices have each other's label: rule 5 */
    WRONG_WEIGHT = 9,    /* arcs of a hub weigh half: rule 2 */
    STRANGER_JOINS = 10, /* a vertex that is not reached hangs from one that is: rule 5 */
    OTHER_PARENT = 11    /* a vertex hangs from a neighbour on no shortest path: rule 2 */
};

/* Call on all ranks. Of the two one is NULL: the claimed levels as claimed_levels gives them, or distances alike. */
void corrupt(struct bfs *b, uint8_t *levels, float *distances, int fault);

/* Whether a row-block and a column-block vertex are neighbours here. */
int corrupt_joined(const struct graph *g, uint32_t row, uint32_t col);

/* Damages a graph that was built, not mapped, if the fault is one of the graph's. Call on all ranks. */
void corrupt_graph(struct graph *g, int fault);

#endif

/* Claims against the generated edge list. */
#ifndef G500_EDGE_CHECK_H
#define G500_EDGE_CHECK_H

#include "claims.h"

/* Of one search, on this rank. */
struct edge_findings {
    uint64_t apart,
        leaving;        /* input edges whose ends are more than a level apart, or of which one end is not reached */
    uint64_t traversed; /* input edges, self-loops and repeats among them, whose first end is reached */
};

/* Makes all edges again, once for all lanes; fills c->confirmed. */
void check_edges(struct claims *c, struct edge_findings findings[LANES]);

#endif

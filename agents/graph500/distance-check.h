/* Claimed distances against the generated edge list. */
#ifndef G500_DISTANCE_CHECK_H
#define G500_DISTANCE_CHECK_H

#include "edge-check.h"
#include "edges.h"

/* Looks at a block of edges with weights, for all lanes; adds to the findings, to c->confirmed and to c->weighed. */
void check_distances(struct claims *c, const struct edge_picks *p, struct edge_findings *findings);

#endif

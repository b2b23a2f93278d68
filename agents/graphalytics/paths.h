/* What a rank knows of the shortest paths (sssp.c). */
#ifndef GA_PATHS_H
#define GA_PATHS_H

#include "bins.h"
#include "graph.h"

struct paths {
    const struct graph *graph;
    double *distance;  /* per index; of a ghost, what was last heard */
    uint32_t *relaxed; /* per index: one more than its edges that were relaxed from its distance, 0 before it was met */
    double end;        /* of the bin, in widths: distances are compared by below_end */
    struct bins bins;
    struct bin now;    /* taken out of the bins */
    uint32_t *changed; /* own vertices met since the last exchange */
    uint64_t changed_count;
    uint64_t *is_changed;
    uint64_t *is_settled; /* any index */

    struct lists from; /* per own vertex: ghosts with edges to it, or whoever has where directed */
    double *from_weight;
    uint32_t inner;      /* own vertices below have more than one edge; others need not be relaxed */
    uint64_t ends;       /* of edges of own vertices, to look at by pulling */
    uint64_t ends_left;  /* of those that are not settled */
    uint64_t edges_left; /* not relaxed, of settled ones */
};

static inline int below_end(const struct paths *p, double distance) { return distance * p->bins.per_width < p->end; }

/* Own vertices from the bin's end on look at their edges that come from vertices below `below` widths, the lightest
   first, until a weight alone is no less than the distance. `relaxed` becomes 0 where that made it smaller, else 1. */
void paths_pull(struct paths *p, double below);

#endif

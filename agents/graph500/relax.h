/* The local work of shortest paths (sssp.h). */
#ifndef G500_RELAX_H
#define G500_RELAX_H

#include "arcs.h"
#include "sssp.h"

/* The first own vertex in the row block and in the column block. */
static inline uint32_t own_row(const struct graph *g) { return g->row_start[g->net->col]; }
static inline uint32_t own_col(const struct graph *g) { return g->col_start[g->net->row]; }

void sssp_enqueue(struct sssp *s, uint32_t own);

/* Lets all own vertices wait that are nearer than `end` and not relaxed so. */
void fill_queue(struct sssp *s, float end);

/* Relaxes what waits until nothing does. */
void relax_own(struct sssp *s, float end);

/* Relaxes the arcs of a column-block vertex at this distance that end before `end`. */
void relax_inner(struct sssp *s, uint32_t u, float from, float end);

/* Relaxes the other arcs of all that was relaxed in the bucket. */
void relax_outer(struct sssp *s);

#endif

/* What searches claim, where the edges are that it must be checked against: in the generated numbering, for several
   searches at once, each in a lane of its own. */
#ifndef G500_CLAIMS_H
#define G500_CLAIMS_H

#include "bfs.h"
#include "levels.h"

enum { LANES = 8 }; /* most searches at once */

#define NO_ROW UINT32_MAX

/* A tree edge (parent p, child v) is known where the input edges between the two are: in v's grid column, in p's grid
   row. Of a vertex, the lanes stand side by side: what one search claims of it is in the cache with what all do. On one
   rank both blocks are the whole graph, and both arrays of values are one. Of values there are levels (kernel 2), or
   distances (kernel 3); the others are NULL. */
struct claims {
    const struct graph *graph;
    int lanes;          /* 1 or LANES */
    uint8_t *row_level; /* row block: claimed levels */
    uint8_t *col_level; /* column block: claimed levels */
    float *row_distance, *col_distance;
    uint32_t
        *col_parent;    /* column block: row_index of the parent if in this row block, else NO_ROW; the root has none */
    uint8_t *confirmed; /* column block: a bit per lane, whether the edge to the parent was seen in the edge list */
    uint8_t *weighed;   /* of distances: whether one of these edges has the weight that child and parent are apart */
    uint64_t nowhere[LANES]; /* own vertices whose parent is no vertex: nobody can check their tree edge */
};

void claims_open(struct claims *c, const struct graph *g, int lanes, int distances);
void claims_close(struct claims *c);

/* Forgets all lanes. */
void claims_clear(struct claims *c);

/* Fills a lane from the owners' results (parents, and levels or distances by own_index); call on all ranks. */
void claims_enter(struct claims *c, int lane, const struct bfs *b, struct search_key key, const void *values);

#endif

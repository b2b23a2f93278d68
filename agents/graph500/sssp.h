/* Kernel 3: single-source shortest paths on the 2-D partition. */
#ifndef G500_SSSP_H
#define G500_SSSP_H

#include "bfs.h"

struct sssp {
    struct bfs *tree; /* takes the parents, as kernel 2 leaves them */
    float delta;      /* width of a bucket */

    float *distance;  /* row block: the least that was found here; of an own vertex, the least that was found at all */
    float *told;      /* column block: the distance with which the arcs here were relaxed last */
    uint32_t *inner;  /* column block: the first arc that led beyond the bucket then */
    uint64_t *nearer; /* row block: what its owner must be told */
    uint16_t *winner; /* own piece: the grid column that found the distance, and has the parent */

    uint32_t *queue; /* own vertices below the bucket's end that are to be relaxed: a ring, each once */
    uint32_t head, waiting;
    uint64_t *is_waiting;
    uint64_t *relaxed; /* own piece: what the grid column must be told */
    uint32_t *heard;   /* column block: whose arcs were relaxed in this bucket, each once */
    uint32_t heard_count;
    uint64_t *is_heard;

    struct message *row_in, *row_out, *col_in, col_out; /* per place */
    uint64_t *set;                                      /* room for a decoded set */

    float *result;  /* by own_index (layout.h): INFINITY where there is no path */
    int supersteps; /* of the last search: rounds of exchanges, which all ranks make together */
    int level;      /* what its trace counts: supersteps, and apart from them the relaxing before an expand */
};

/* `delta`: 0 to choose it. */
void sssp_open(struct sssp *s, struct bfs *tree, double delta);
void sssp_run(struct sssp *s, struct search_key key);
void sssp_close(struct sssp *s);

/* For sssp_run: the start of a search, and its end, which hands what is reached, and who has the parent, to what brings
   the parents home (parents.h), and the distances to their labels. */
void sssp_plant(struct sssp *s, struct search_key key);
void sssp_leave(struct sssp *s, struct search_key key);

/* Whole words of a piece of the row or column block. */
static inline uint32_t sssp_words(const uint32_t *start, int place) { return (start[place + 1] - start[place]) / 64; }

/* After a search, and no part of it: the whole grid row learns which vertices are reached (bfs_edges_reached). */
void sssp_share_reached(struct sssp *s);

#endif

/* Kernel 2: direction-optimising breadth-first search on the 2-D partition. */
#ifndef G500_BFS_H
#define G500_BFS_H

#include "graph.h"
#include "trace.h"

enum { LEVELS_KEPT = 254 }; /* deeper trees are searched right, but cannot be validated */

#define NO_PARENT (-1)

struct bfs {
    const struct graph *graph;
    struct trace *trace;
    int keep_levels; /* keep what validation needs */

    uint64_t *frontier;  /* column block */
    uint64_t *visited;   /* row block */
    uint64_t *found;     /* row block: discovered here at this level */
    uint64_t *other;     /* row block: parent may not be the first of the list in by_row */
    uint32_t *candidate; /* row block: parent (column-block number) of what was discovered here */
    uint64_t *next;      /* own piece: discovered by anybody at this level */
    uint64_t **won;      /* per grid column: own piece, whose parent that column knows; own column unused */

    struct message *row_in, *row_out, *col_in; /* per place */
    uint8_t *room;                             /* encodings, as long as the row block's bitmap */

    /* The specification's result, for the labels that this rank owns, by own_index (layout.h): the label of the parent,
       the root's own for the root, NO_PARENT for what is not reached. One of the two: `narrow` holds labels of 31 bits,
       in half the memory. */
    int32_t *narrow;
    int64_t *wide;
    int levels; /* levels with at least one vertex */
    uint64_t *level_bits[LEVELS_KEPT];
};

void bfs_open(struct bfs *b, const struct graph *g, struct trace *trace);
void bfs_run(struct bfs *b, struct search_key key);
void bfs_close(struct bfs *b);

static inline int64_t bfs_parent(const struct bfs *b, uint64_t i) { return b->narrow ? b->narrow[i] : b->wide[i]; }

static inline void bfs_set_parent(struct bfs *b, uint64_t i, int64_t label)
{
    if (b->narrow) b->narrow[i] = (int32_t)label;
    else b->wide[i] = label;
}

/* Input edges with both ends in the tree, self-loops and repeats among them; call on all ranks after bfs_run. */
uint64_t bfs_edges_reached(const struct bfs *b);

#endif

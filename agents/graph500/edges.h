/* Edges in local numbers: `col` counts in the column block, `row` in the row block. */
#ifndef G500_EDGES_H
#define G500_EDGES_H
#include <stdint.h>

#include "generator.h"
#include "layout.h"

struct edge_list {
    uint32_t *col, *row;
    float *weight; /* NULL: without */
    uint64_t count, room;
    int weighted;
};

/* The generated edge list, block by block. Every rank makes all edges and keeps what belongs to it: at about 3 ns an
   edge that costs less than sending the edges over anything slower than some 10 Gbit/s, and it sends nothing. */
struct edge_source {
    struct generator generator;
    struct layout layout;
    uint64_t edges, next; /* how many there are, the number of the next */
};

/* What a rank keeps of a block, at most EDGE_BLOCK in each list, written from `count` on.
   `input` gets input edge (u, v) as col = u, row = v; `mirror` gets it as col = v, row = u. On one rank the two would
   hold the same edges, and `mirror` stays empty. Self-loops stand in `loops` alone, on their owner, without weights. */
struct edge_picks {
    struct edge_list input, mirror, loops;
};

struct edge_source edges_open(const struct layout *l, int edge_factor, uint64_t seed, int weighted);

/* Adds the next block to the lists, which must have room for it; false when there is none. */
int edges_next(struct edge_source *s, struct edge_picks *out);

/* All of them. */
void edges_make(struct edge_source *s, struct edge_picks *out);

void edges_reserve(struct edge_list *list, uint64_t expected, int weighted);
void edges_free(struct edge_list *list);

#endif

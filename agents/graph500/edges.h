/* Lists of edges in local numbers: `col` counts in the column block, `row` in the row block. */
#ifndef G500_EDGES_H
#define G500_EDGES_H
#include <stdint.h>

#include "generator.h"
#include "layout.h"

struct edge_list {
    uint32_t *col, *row;
    uint64_t count, room;
};

/* Every rank makes all edges and keeps what belongs to it: at about 3 ns an edge that costs less than
   sending the edges over anything slower than some 10 Gbit/s, and it sends nothing.
   `input` gets input edge (u, v) as col = u, row = v; `mirror` gets it as col = v, row = u. On one
   rank the two hold the same edges and `mirror` stays empty. Self-loops are left out: they join a
   vertex to itself, so they can break no rule of validation, and nedge does not count them. */
void edges_make(struct generator *g, const struct layout *l, uint64_t edges, struct edge_list *input,
                struct edge_list *mirror);

/* A sum over edges that does not depend on their order: equal for two arrangements of the same edges. */
static inline uint64_t edge_print(uint32_t col, uint32_t row)
{
    uint64_t x = ((uint64_t)col << 32 | row) * 0x9fb21c651e98df25u;
    return (x ^ x >> 32) * 0x9e3779b97f4a7c15u;
}

void edges_free(struct edge_list *list);

#endif

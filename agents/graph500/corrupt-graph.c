/* Damages a constructed graph in one place, as a fault of construction would: for tests that validation looks at the
   edge list and not at what was made of it. The victim is a vertex of middling degree, so one in the largest component.
   A number behind the end of a block stands for no vertex: bitmaps have room for it, and no frontier holds it. */
#include "corrupt.h"

#include "arcs.h"

int corrupt_joined(const struct graph *g, uint32_t row, uint32_t col)
{
    for (uint32_t at = g->by_row ? g->by_row_ptr[row] : 0; g->by_row && at < g->by_row_ptr[row + 1]; at++)
        if (g->by_row[at] == col) return 1;
    for (uint32_t at = g->arcs ? g->arc_ptr[col] : 0; g->arcs && at < g->arc_ptr[col + 1]; at++)
        if (arc_head(g->arcs[at]) == row) return 1;
    return 0;
}

static int has_neighbour(const struct graph *g, uint32_t row)
{
    for (uint32_t u = 0; u < col_bits(g); u++)
        if (corrupt_joined(g, row, u)) return 1;
    return 0;
}

/* Of rank 0's piece, and with neighbours in its block; everybody in grid row 0 has it under the same number. */
static uint32_t choose_victim(const struct graph *g)
{
    uint64_t victim = 0;
    if (g->net->rank == 0)
        for (victim = g->own / 2; victim > 0 && !has_neighbour(g, (uint32_t)victim);) victim--;
    net_max(g->net, &victim, 1);
    return (uint32_t)victim;
}

/* All ranks of the victim's grid row forget every edge to it. */
static void lose_edges(struct graph *g, uint32_t victim)
{
    for (uint32_t at = 0; g->arcs && at < g->arc_ptr[col_bits(g)]; at++)
        if (arc_head(g->arcs[at]) == victim) g->arcs[at] = arc_of(row_bits(g), arc_weight(g->arcs[at]));
    if (!g->by_row) return;
    for (uint32_t at = g->by_row_ptr[victim]; at < g->by_row_ptr[victim + 1]; at++) g->by_row[at] = col_bits(g);
    for (uint32_t at = 0; at < g->by_col_ptr[col_bits(g)]; at++)
        if (g->by_col[at] == victim) g->by_col[at] = row_bits(g);
}

/* The best vertex of the column block that has edges here, but none to the victim. */
static uint32_t find_stranger(const struct graph *g, uint32_t victim)
{
    const uint32_t *ptr = g->by_col ? g->by_col_ptr : g->arc_ptr;
    uint32_t u = 0;
    while (u + 1 < col_bits(g) && (u == victim || ptr[u + 1] == ptr[u] || corrupt_joined(g, victim, u))) u++;
    return u;
}

static void join_stranger(struct graph *g, uint32_t victim, uint32_t stranger)
{
    if (g->arcs) g->arcs[g->arc_ptr[stranger]] = arc_of(victim, arc_weight(g->arcs[g->arc_ptr[stranger]]));
    if (!g->by_row) return;
    g->by_row[g->by_row_ptr[victim]] = stranger;
    g->by_col[g->by_col_ptr[stranger]] = victim;
}

/* The arcs here of the best vertex. */
static void halve_weights(struct graph *g)
{
    for (uint32_t at = g->arc_ptr[0]; at < g->arc_ptr[1]; at++)
        g->arcs[at] = arc_of(arc_head(g->arcs[at]), arc_weight(g->arcs[at]) / 2);
}

static void exchange_labels(struct graph *g, uint32_t a, uint32_t b)
{
    uint32_t name = g->name[a];
    g->name[a] = g->name[b];
    g->name[b] = name;
}

void corrupt_graph(struct graph *g, int fault)
{
    if (fault < LOST_EDGES || fault > WRONG_WEIGHT) return;
    uint32_t victim = choose_victim(g), stranger = g->net->rank == 0 ? find_stranger(g, victim) : 0;
    if (fault == WRONG_LABEL && g->net->rank == 0) exchange_labels(g, 0, victim);
    if (fault == WRONG_WEIGHT && g->net->rank == 0) halve_weights(g);
    if (fault <= STRAY_EDGE && g->net->row == 0) lose_edges(g, victim);
    if (fault == STRAY_EDGE && g->net->rank == 0) join_stranger(g, victim, stranger);
    graph_place_results(g);
}

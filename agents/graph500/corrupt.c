/* Damages a found tree in one place, such that the rule asked for is broken. Rules 1 to 4 start from the deepest
   vertex, for nothing hangs from it, on which all ranks agree by a maximum; rule 5 takes two vertices of one piece that
   are no neighbours. */
#include "corrupt.h"

#include "levels.h"

/* The smallest label of the deepest vertices. */
static uint64_t deepest(const struct bfs *b, const uint8_t *levels)
{
    const struct layout *l = &b->graph->layout;
    uint64_t best = 0, mask = ((uint64_t)1 << l->scale) - 1;
    for (uint64_t v = 0; v < layout_own_size(l); v++) {
        uint64_t rank = levels[v] == NO_LEVEL ? 0 : (uint64_t)(levels[v] + 1) << l->scale | (mask - own_label(l, v));
        if (rank > best) best = rank;
    }
    net_max(b->graph->net, &best, 1);
    return mask - (best & mask);
}

static int is_mine(const struct bfs *b, uint64_t label)
{
    return layout_owner(&b->graph->layout, label) == b->graph->net->rank;
}

static void set_parent(struct bfs *b, uint64_t child, uint64_t parent)
{
    if (is_mine(b, child)) bfs_set_parent(b, own_index(&b->graph->layout, child), (int64_t)parent);
}

/* The owner of v tells everybody who v's parent is. */
static uint64_t parent_of(const struct bfs *b, uint64_t v)
{
    uint64_t told = is_mine(b, v) ? (uint64_t)bfs_parent(b, own_index(&b->graph->layout, v)) : 0;
    net_max(b->graph->net, &told, 1);
    return told;
}

/* A cycle of two, or of one where the tree has but one level. */
static void close_cycle(struct bfs *b, uint64_t v)
{
    uint64_t p = parent_of(b, v), above = parent_of(b, p);
    set_parent(b, above == p ? v : p, v);
}

static int adjacent(const struct graph *g, uint32_t row, uint32_t col)
{
    for (uint32_t at = g->by_row_ptr[row]; at < g->by_row_ptr[row + 1]; at++)
        if (g->by_row[at] == col) return 1;
    return 0;
}

/* A vertex and a stranger one level above it, both of this piece; the rank of both is checked here alone. */
static int find_strangers(const struct graph *g, const uint8_t *levels, uint64_t *child, uint64_t *stranger)
{
    const uint32_t *at = g->position;
    uint32_t row = g->row_start[g->net->col], col = g->col_start[g->net->row];
    for (uint32_t v = 0; v < g->own; v++) {
        if (levels[at[v]] == NO_LEVEL || levels[at[v]] < 2) continue;
        for (uint32_t u = 0; u < g->own; u++)
            if (levels[at[u]] + 1 == levels[at[v]] && !adjacent(g, row + v, col + u)) {
                *child = own_label(&g->layout, at[v]);
                *stranger = own_label(&g->layout, at[u]);
                return 1;
            }
    }
    return 0;
}

static void hang_on_stranger(struct bfs *b, const uint8_t *levels, uint64_t deep)
{
    const struct graph *g = b->graph;
    uint64_t child = 0, stranger = 0;
    int found = find_strangers(g, levels, &child, &stranger);
    uint64_t first = found ? (uint64_t)(g->net->ranks - g->net->rank) : 0;
    net_max(g->net, &first, 1);
    if (first == 0) set_parent(b, deep, deep);
    else if ((int)first == g->net->ranks - g->net->rank) set_parent(b, child, stranger);
}

void corrupt(struct bfs *b, uint8_t *levels, int rule)
{
    uint64_t v = deepest(b, levels);
    uint64_t at = is_mine(b, v) ? own_index(&b->graph->layout, v) : 0;
    switch (rule) {
    case 1: close_cycle(b, v); break;
    case 2:
        if (is_mine(b, v)) levels[at] += 1;
        break;
    case 3:
        if (is_mine(b, v)) levels[at] += 3;
        break;
    case 4:
        if (!is_mine(b, v)) break;
        bfs_set_parent(b, at, NO_PARENT);
        levels[at] = NO_LEVEL;
        break;
    case 5: hang_on_stranger(b, levels, v); break;
    default: break; /* the graph is damaged, not the tree */
    }
}

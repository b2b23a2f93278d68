/* Damages a found tree in one place, such that the rule asked for is broken. Rules 1 to 4 start from the deepest
   vertex, for nothing hangs from it, on which all ranks agree by a maximum; rule 5 takes two vertices of one piece that
   are no neighbours. */
#include "corrupt.h"

#include "levels.h"

/* A vertex as all ranks name it. */
struct place {
    int rank;
    uint32_t local;
};

/* Number of a vertex in the column block of its owner's grid column. */
static uint32_t column_number(const struct graph *g, struct place v)
{
    int q = g->net->side;
    return graph_col_start(g, v.rank % q, v.rank / q) + v.local;
}

/* The first of the deepest vertices, by rank. */
static struct place deepest(const struct bfs *b, const uint8_t *levels)
{
    const struct graph *g = b->graph;
    uint32_t at = 0;
    int level = -1;
    for (uint32_t v = 0; v < g->own; v++)
        if (levels[v] != NO_LEVEL && levels[v] > level) {
            level = levels[v];
            at = v;
        }
    int ranks = g->net->ranks;
    uint64_t best = (uint64_t)(level + 1) << 32 | (uint64_t)(ranks - g->net->rank);
    net_max(g->net, &best, 1);
    struct place p = {ranks - (int)(uint32_t)best, 0};
    uint64_t local = p.rank == g->net->rank ? at : 0;
    net_max(g->net, &local, 1);
    p.local = (uint32_t)local;
    return p;
}

static void set_parent(struct bfs *b, struct place child, struct place parent)
{
    const struct graph *g = b->graph;
    if (child.rank != g->net->rank) return;
    b->parent[child.local] = column_number(g, parent);
    if (b->parent_column) b->parent_column[child.local] = (uint16_t)(parent.rank % g->net->side);
}

/* The owner of v tells everybody who v's parent is. */
static struct place parent_of(const struct bfs *b, struct place v)
{
    const struct graph *g = b->graph;
    int q = g->net->side, row = 0;
    uint64_t told[2] = {0, 0};
    if (v.rank == g->net->rank) {
        told[0] = b->parent[v.local];
        told[1] = b->parent_column ? b->parent_column[v.local] : 0;
    }
    net_max(g->net, told, 2);
    int col = (int)told[1];
    while (graph_col_start(g, col, row + 1) <= told[0]) row++;
    return (struct place){row * q + col, (uint32_t)told[0] - graph_col_start(g, col, row)};
}

/* A cycle of two, or of one where the tree has but one level. */
static void close_cycle(struct bfs *b, struct place v)
{
    struct place p = parent_of(b, v), above = parent_of(b, p);
    int p_is_root = above.rank == p.rank && above.local == p.local;
    set_parent(b, p_is_root ? v : p, v);
}

static int adjacent(const struct graph *g, uint32_t row, uint32_t col)
{
    for (uint32_t at = g->by_row_ptr[row]; at < g->by_row_ptr[row + 1]; at++)
        if (g->by_row[at] == col) return 1;
    return 0;
}

/* A vertex and a stranger one level above it, both of this piece; the rank of both is checked here alone. */
static int find_strangers(const struct graph *g, const uint8_t *levels, uint32_t *child, uint32_t *stranger)
{
    uint32_t row = g->row_start[g->net->col], col = g->col_start[g->net->row];
    for (uint32_t v = 0; v < g->own; v++) {
        if (levels[v] == NO_LEVEL || levels[v] < 2) continue;
        for (uint32_t u = 0; u < g->own; u++)
            if (levels[u] + 1 == levels[v] && !adjacent(g, row + v, col + u)) {
                *child = v;
                *stranger = u;
                return 1;
            }
    }
    return 0;
}

static void hang_on_stranger(struct bfs *b, const uint8_t *levels, struct place deep)
{
    const struct graph *g = b->graph;
    uint32_t child = 0, stranger = 0;
    int found = find_strangers(g, levels, &child, &stranger);
    uint64_t first = found ? (uint64_t)(g->net->ranks - g->net->rank) : 0;
    net_max(g->net, &first, 1);
    if (first == 0) {
        set_parent(b, deep, deep);
        return;
    }
    if ((int)first != g->net->ranks - g->net->rank) return;
    set_parent(b, (struct place){g->net->rank, child}, (struct place){g->net->rank, stranger});
}

void corrupt(struct bfs *b, uint8_t *levels, int rule)
{
    struct place v = deepest(b, levels);
    int mine = v.rank == b->graph->net->rank;
    switch (rule) {
    case 1: close_cycle(b, v); break;
    case 2:
        if (mine) levels[v.local] += 1;
        break;
    case 3:
        if (mine) levels[v.local] += 3;
        break;
    case 4:
        if (mine) {
            b->parent[v.local] = NO_PARENT;
            levels[v.local] = NO_LEVEL;
        }
        break;
    default: hang_on_stranger(b, levels, v);
    }
}

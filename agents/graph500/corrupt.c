/* Damages a found tree in one place, such that the rule asked for is broken. Most start from the deepest vertex, for
   nothing hangs from it, on which all ranks agree by a maximum; rule 5 takes two vertices of one piece that are no
   neighbours, and another parent two that are. */
#include "corrupt.h"

#include <math.h>
#include <string.h>

#include "arcs.h"
#include "levels.h"

/* What is damaged; of levels and distances one is NULL. */
struct claim {
    struct bfs *b;
    uint8_t *levels;
    float *distances;
};

/* Levels, or the bits of distances, which are in their order: above 0 what is reached. */
static uint64_t depth(const struct claim *c, uint64_t v)
{
    uint32_t bits;
    if (c->levels) return c->levels[v] == NO_LEVEL ? 0 : (uint64_t)c->levels[v] + 1;
    if (!(c->distances[v] < INFINITY)) return 0;
    memcpy(&bits, &c->distances[v], sizeof bits);
    return (uint64_t)bits + 1;
}

/* The smallest label of the deepest vertices, or of those that are not reached; more than any label where none is. */
static uint64_t first_of(const struct claim *c, int reached)
{
    const struct layout *l = &c->b->graph->layout;
    uint64_t best = 0, mask = ((uint64_t)1 << l->scale) - 1;
    for (uint64_t v = 0; v < layout_own_size(l); v++) {
        uint64_t deep = reached ? depth(c, v) : depth(c, v) == 0;
        uint64_t rank = deep == 0 ? 0 : deep << l->scale | (mask - own_label(l, v));
        if (rank > best) best = rank;
    }
    net_max(c->b->graph->net, &best, 1);
    return best == 0 ? mask + 1 : mask - (best & mask);
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

/* Of own vertices, by their numbers in the piece: u is above v, and a stranger to it. */
static int is_stranger(const struct claim *c, uint32_t v, uint32_t u)
{
    const struct graph *g = c->b->graph;
    uint64_t below = depth(c, g->position[v]), above = depth(c, g->position[u]);
    int is_above = c->levels ? above + 1 == below && below > 2 : above > 1 && above < below;
    return is_above && !corrupt_joined(g, g->row_start[g->net->col] + v, g->col_start[g->net->row] + u);
}

/* u has an arc to v here that is on no shortest path. */
static int is_detour(const struct claim *c, uint32_t v, uint32_t u)
{
    const struct graph *g = c->b->graph;
    uint32_t row = g->row_start[g->net->col] + v, col = g->col_start[g->net->row] + u;
    float from = c->distances[g->position[u]], to = c->distances[g->position[v]];
    for (uint32_t at = g->arc_ptr[col]; to > 0 && at < g->arc_ptr[col + 1]; at++)
        if (arc_head(g->arcs[at]) == row) return from + arc_weight(g->arcs[at]) > to;
    return 0;
}

typedef int (*fitting)(const struct claim *c, uint32_t v, uint32_t u);

/* Two vertices of a piece that fit; the rank of both is checked here alone. */
static int find_pair(const struct claim *c, fitting fits, uint64_t *child, uint64_t *parent)
{
    const struct graph *g = c->b->graph;
    for (uint32_t v = 0; v < g->own; v++)
        for (uint32_t u = 0; u < g->own && depth(c, g->position[v]) > 1; u++)
            if (u != v && depth(c, g->position[u]) > 0 && fits(c, v, u)) {
                *child = own_label(&g->layout, g->position[v]);
                *parent = own_label(&g->layout, g->position[u]);
                return 1;
            }
    return 0;
}

/* On the first rank that has such a pair; where none has, the deepest vertex becomes its own parent. */
static void hang_elsewhere(const struct claim *c, fitting fits, uint64_t deep)
{
    const struct graph *g = c->b->graph;
    uint64_t child = 0, parent = 0;
    int found = find_pair(c, fits, &child, &parent);
    uint64_t first = found ? (uint64_t)(g->net->ranks - g->net->rank) : 0;
    net_max(g->net, &first, 1);
    if (first == 0) set_parent(c->b, deep, deep);
    else if ((int)first == g->net->ranks - g->net->rank) set_parent(c->b, child, parent);
}

static void change_depth(const struct claim *c, uint64_t at, int fault)
{
    if (c->levels) c->levels[at] = (uint8_t)(c->levels[at] + (fault == 2 ? 1 : 3));
    else c->distances[at] = fault == 2 ? nextafterf(c->distances[at], INFINITY) : c->distances[at] + 2;
}

static void set_reached(const struct claim *c, uint64_t at, int64_t parent)
{
    bfs_set_parent(c->b, at, parent);
    if (c->levels) c->levels[at] = NO_LEVEL;
    else c->distances[at] = parent == NO_PARENT ? INFINITY : 0.5f;
}

void corrupt(struct bfs *b, uint8_t *levels, float *distances, int fault)
{
    struct claim c = {b, levels, distances};
    uint64_t v = first_of(&c, 1), stranger = first_of(&c, 0);
    uint64_t at = is_mine(b, v) ? own_index(&b->graph->layout, v) : 0;
    switch (fault) {
    case 1: close_cycle(b, v); break;
    case 2:
    case 3:
        if (is_mine(b, v)) change_depth(&c, at, fault);
        break;
    case 4:
        if (is_mine(b, v)) set_reached(&c, at, NO_PARENT);
        break;
    case 5: hang_elsewhere(&c, is_stranger, v); break;
    case OTHER_PARENT: hang_elsewhere(&c, is_detour, v); break;
    case STRANGER_JOINS:
        if (stranger >> b->graph->scale) set_parent(b, v, v);
        else if (is_mine(b, stranger)) set_reached(&c, own_index(&b->graph->layout, stranger), (int64_t)v);
        break;
    default: break; /* the graph is damaged, not the tree */
    }
}

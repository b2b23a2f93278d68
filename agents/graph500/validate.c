/* The five rules of validate.h, each checked where its data are.

   In: parent and claimed level or distance of each vertex, on its owner, in the generated numbering. They are spread
   when a search ends (claims.c), so that a rank has that of every vertex of its row and column block, and the parent of
   those column-block vertices whose parent is in its row block. Then no further message is needed but the sum of the
   offences: rules 3 to 5 in one pass over the edge list (edge-check.c); rule 2 from the levels of child and parent,
   or in that pass; rule 1 from each vertex alone. Only a tree that breaks rule 2, or in which a child is as near as its
   parent, has its chains of parents followed (chains.c).

   Source: Graph500 specification 3.0, section 8. */
#include "validate.h"

#include <math.h>

#include "chains.h"
#include "edge-check.h"

const char *rule_text(enum kernel kernel, int rule)
{
    static const char *const levels[] = {"",
                                         "vertices whose parents do not lead to the root",
                                         "tree edges that do not join levels one apart",
                                         "input edges that join levels more than one apart",
                                         "input edges that leave the tree",
                                         "tree edges that are not in the graph"};
    if (kernel == KERNEL_SSSP && rule == 2) return "tree edges whose distances are not their weight apart";
    if (kernel == KERNEL_SSSP && rule == 3) return "input edges whose distances are more than their weight apart";
    return levels[rule];
}

void validation_open(struct validation *v, const struct graph *g, int searches, enum kernel kernel)
{
    claims_open(&v->claims, g, searches > 1 ? LANES : 1, kernel == KERNEL_SSSP);
    v->waiting = 0;
}

void validation_close(struct validation *v) { claims_close(&v->claims); }

/* Of a vertex that is not reached no level or distance is claimed. */
static int is_reached(const struct claims *c, const void *values, uint64_t v)
{
    if (c->col_level) return ((const uint8_t *)values)[v] != NO_LEVEL;
    return ((const float *)values)[v] < INFINITY;
}

static int is_at_zero(const struct claims *c, const void *values, uint64_t v)
{
    if (c->col_level) return ((const uint8_t *)values)[v] == 0;
    return ((const float *)values)[v] == 0;
}

/* Rule 1 as far as one vertex shows it: reached or not in both senses, and one root alone. */
static uint64_t own_offences(const struct claims *c, const struct bfs *b, struct search_key key, const void *values)
{
    const struct graph *g = b->graph;
    const struct layout *l = &g->layout;
    uint64_t offences = 0;
    for (uint64_t v = 0; v < layout_own_size(l); v++)
        offences += (bfs_parent(b, v) == NO_PARENT) == is_reached(c, values, v);
    if ((int)key.owner != g->net->rank) return offences;
    uint64_t root = own_index(l, key.label);
    return offences + !(bfs_parent(b, root) == (int64_t)key.label && is_at_zero(c, values, root));
}

int validation_add(struct validation *v, const struct bfs *b, struct search_key key, const void *values)
{
    int lane = v->waiting++;
    if (lane == 0) claims_clear(&v->claims);
    claims_enter(&v->claims, lane, b, key, values);
    v->keys[lane] = key;
    v->verdicts[lane] = (struct verdict){{0, own_offences(&v->claims, b, key, values)}, 0};
    return v->waiting == v->claims.lanes;
}

/* Rule 2 of one tree edge. `level_with`: counts those whose ends have one distance. */
static uint64_t is_off(const struct claims *c, uint64_t child, uint64_t parent, uint64_t lane, uint64_t *level_with)
{
    uint64_t lanes = (uint64_t)c->lanes;
    if (c->col_level) {
        int above = c->row_level[parent * lanes + lane];
        return (above == NO_LEVEL) | (c->col_level[child * lanes + lane] != above + 1);
    }
    *level_with += c->row_distance[parent * lanes + lane] == c->col_distance[child * lanes + lane];
    return !(c->weighed[child] >> lane & 1);
}

/* Rules 2 and 5, each tree edge where the input edges between its ends are. */
static void check_tree_edges(struct validation *v, uint64_t level_with[LANES])
{
    const struct claims *c = &v->claims;
    uint64_t cols = layout_col_size(&c->graph->layout), lanes = (uint64_t)c->lanes;
    for (uint64_t child = 0; child < cols; child++)
        for (uint64_t lane = 0; lane < lanes; lane++) {
            uint32_t parent = c->col_parent[child * lanes + lane];
            if (parent == NO_ROW) continue;
            v->verdicts[lane].broken[2] += is_off(c, child, parent, lane, &level_with[lane]);
            v->verdicts[lane].broken[5] += !(c->confirmed[child] >> lane & 1);
        }
}

int validation_check(struct validation *v)
{
    struct edge_findings found[LANES];
    struct net *net = v->claims.graph->net;
    uint64_t level_with[LANES] = {0};
    int count = v->waiting;
    if (count == 0) return 0;
    check_edges(&v->claims, found);
    check_tree_edges(v, level_with);
    net_sum(net, level_with, LANES);
    for (int lane = 0; lane < count; lane++) {
        struct verdict *w = &v->verdicts[lane];
        w->broken[3] = found[lane].apart;
        w->broken[4] = found[lane].leaving;
        w->broken[5] += v->claims.nowhere[lane];
        w->edges = found[lane].traversed;
        net_sum(net, w->broken + 1, RULES);
        net_sum(net, &w->edges, 1);
        if (w->broken[2] + level_with[lane] > 0) w->broken[1] += chains_astray(&v->claims, lane, v->keys[lane]);
    }
    v->waiting = 0;
    return count;
}

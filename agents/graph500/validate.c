/* The five rules of validate.h, each checked where its data are.

   In: parent and claimed level of each vertex, on its owner, in the generated numbering. They are spread when a search
   ends (claims.c), so that a rank has the level of every vertex of its row and column block, and the parent of those
   column-block vertices whose parent is in its row block. Then no further message is needed but the sum of the
   offences: rules 3 to 5 in one pass over the edge list (edge-check.c); rule 2 from the levels of child and parent,
   rule 1 from each vertex alone. Only a tree that breaks rule 2 has its chains of parents followed (chains.c).

   Source: Graph500 specification 2.0, section 8. */
#include "validate.h"

#include "chains.h"
#include "edge-check.h"

const char *rule_text(int rule)
{
    static const char *const texts[] = {"",
                                        "vertices whose parents do not lead to the root",
                                        "tree edges that do not join levels one apart",
                                        "input edges that join levels more than one apart",
                                        "input edges that leave the tree",
                                        "tree edges that are not in the graph"};
    return texts[rule];
}

void validation_open(struct validation *v, const struct graph *g, int searches)
{
    claims_open(&v->claims, g, searches > 1 ? LANES : 1);
    v->waiting = 0;
}

void validation_close(struct validation *v) { claims_close(&v->claims); }

/* Rule 1 as far as one vertex shows it: reached or not in both senses, and one root alone. */
static uint64_t own_offences(const struct bfs *b, struct search_key key, const uint8_t *levels)
{
    const struct graph *g = b->graph;
    const struct layout *l = &g->layout;
    uint64_t offences = 0;
    for (uint64_t v = 0; v < layout_own_size(l); v++)
        offences += (bfs_parent(b, v) == NO_PARENT) != (levels[v] == NO_LEVEL);
    if ((int)key.owner != g->net->rank) return offences;
    uint64_t root = own_index(l, key.label);
    return offences + !(bfs_parent(b, root) == (int64_t)key.label && levels[root] == 0);
}

int validation_add(struct validation *v, const struct bfs *b, struct search_key key, const uint8_t *levels)
{
    int lane = v->waiting++;
    if (lane == 0) claims_clear(&v->claims);
    claims_enter(&v->claims, lane, b, key, levels);
    v->keys[lane] = key;
    v->verdicts[lane] = (struct verdict){{0, own_offences(b, key, levels)}, 0};
    return v->waiting == v->claims.lanes;
}

/* Rules 2 and 5, each tree edge where the input edges between its ends are. */
static void check_tree_edges(struct validation *v)
{
    const struct claims *c = &v->claims;
    uint64_t cols = layout_col_size(&c->graph->layout), lanes = (uint64_t)c->lanes;
    for (uint64_t child = 0; child < cols; child++)
        for (uint64_t lane = 0; lane < lanes; lane++) {
            uint32_t parent = c->col_parent[child * lanes + lane];
            if (parent == NO_ROW) continue;
            int above = c->row_level[parent * lanes + lane];
            v->verdicts[lane].broken[2] += (above == NO_LEVEL) | (c->col_level[child * lanes + lane] != above + 1);
            v->verdicts[lane].broken[5] += !(c->confirmed[child] >> lane & 1);
        }
}

int validation_check(struct validation *v)
{
    struct edge_findings found[LANES];
    struct net *net = v->claims.graph->net;
    int count = v->waiting;
    if (count == 0) return 0;
    check_edges(&v->claims, found);
    check_tree_edges(v);
    for (int lane = 0; lane < count; lane++) {
        struct verdict *w = &v->verdicts[lane];
        w->broken[3] = found[lane].apart;
        w->broken[4] = found[lane].leaving;
        w->broken[5] += v->claims.nowhere[lane];
        w->edges = found[lane].traversed;
        net_sum(net, w->broken + 1, RULES);
        net_sum(net, &w->edges, 1);
        if (w->broken[2] > 0) w->broken[1] += chains_astray(&v->claims, lane, v->keys[lane]);
    }
    v->waiting = 0;
    return count;
}

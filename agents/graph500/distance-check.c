/* Rules 3 to 5 of kernel 3, and what rule 2 asks of the edge list (validate.h), on a block of edges (edge-check.c).

   An edge that weighs w breaks rule 3 where one end is farther than the other and w, added as the search adds them.
   What is not reached is at INFINITY, so an edge that leaves the tree is found so too; which of the two it is, is
   looked for only then. Of edges between the same two vertices each must bear rule 3, and one of them rule 2. */
#include "distance-check.h"

#include <math.h>

#include "hot.h"

static void sort_fault(float a, float b, float weight, struct edge_findings *f)
{
    int one = (a < INFINITY) != (b < INFINITY);
    f->leaving += (uint64_t)one;
    f->apart += (uint64_t)(!one && !(a <= b + weight && b <= a + weight));
}

/* Written so that what is no number breaks the rule. */
static inline __attribute__((always_inline)) void check_ends(const struct claims *c, const struct edge_list *ends,
                                                             int lanes, struct edge_findings *findings)
{
    for (uint64_t e = 0; e < ends->count; e++) {
        const float *a = c->col_distance + (uint64_t)ends->col[e] * (uint64_t)lanes;
        const float *b = c->row_distance + (uint64_t)ends->row[e] * (uint64_t)lanes;
        float weight = ends->weighted ? ends->weight[e] : 0;
        unsigned bears = 1;
        for (int lane = 0; lane < lanes; lane++) {
            bears &= (unsigned)(a[lane] <= b[lane] + weight) & (unsigned)(b[lane] <= a[lane] + weight);
            findings[lane].traversed += a[lane] < INFINITY;
        }
        for (int lane = 0; lane < lanes && !bears; lane++) sort_fault(a[lane], b[lane], weight, &findings[lane]);
    }
}

static inline __attribute__((always_inline)) void
check_tree(struct claims *c, const uint32_t *child, const uint32_t *parent, const struct edge_list *ends, int lanes)
{
    for (uint64_t e = 0; e < ends->count; e++) {
        const uint32_t *claimed = c->col_parent + (uint64_t)child[e] * (uint64_t)lanes;
        unsigned hits = 0;
        for (int lane = 0; lane < lanes; lane++) hits |= (unsigned)(claimed[lane] == parent[e]) << lane;
        if (hits == 0) continue;
        c->confirmed[child[e]] |= (uint8_t)hits;
        for (int lane = 0; lane < lanes; lane++) {
            float above = c->row_distance[(uint64_t)parent[e] * (uint64_t)lanes + (uint64_t)lane];
            float below = c->col_distance[(uint64_t)child[e] * (uint64_t)lanes + (uint64_t)lane];
            if (hits >> lane & 1 && below == above + ends->weight[e]) c->weighed[child[e]] |= (uint8_t)(1u << lane);
        }
    }
}

static inline __attribute__((always_inline)) void check_block(struct claims *c, const struct edge_picks *p, int lanes,
                                                              struct edge_findings *findings)
{
    check_ends(c, &p->input, lanes, findings);
    check_ends(c, &p->loops, lanes, findings);
    check_tree(c, p->input.col, p->input.row, &p->input, lanes);
    if (c->graph->net->ranks == 1) check_tree(c, p->input.row, p->input.col, &p->input, lanes);
    else check_tree(c, p->mirror.col, p->mirror.row, &p->mirror, lanes);
}

HOT static void check_for_one(struct claims *c, const struct edge_picks *p, struct edge_findings *findings)
{
    check_block(c, p, 1, findings);
}

HOT static void check_for_all(struct claims *c, const struct edge_picks *p, struct edge_findings *findings)
{
    check_block(c, p, LANES, findings);
}

void check_distances(struct claims *c, const struct edge_picks *p, struct edge_findings *findings)
{
    if (c->lanes == 1) check_for_one(c, p, findings);
    else check_for_all(c, p, findings);
}

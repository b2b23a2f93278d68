/* One pass over the edge list for all searches that wait to be validated. The edges are generated again, so no memory
   holds them, and nothing that construction made of them is asked. Each rank looks at those of its block (edges.h):

     levels: of every input edge the levels of both ends are gathered, a word of LANES bytes each, and compared byte by
     byte; NO_LEVEL is more than one above every level that a search claims, so rules 3 and 4 are one comparison, and
     which of the two an edge breaks is looked for only when one does;
     parents: of every input edge between different vertices, once for either end as the child, whether the other end
     is the parent that a lane claims: few are, and those set the child's bit.

   A block of edges is small enough for the cache, what it points to is not: its parents are fetched ahead.
   What it looks for in distances is in distance-check.c. The pass exists for one lane and for LANES, for the compiler
   to unroll. */
#include "edge-check.h"

#include <string.h>

#include "distance-check.h"
#include "hot.h"
#include "memory.h"

/* The levels of a block's ends; padded to whole lines with unreached. */
struct gathered {
    uint8_t col[EDGE_BLOCK * LANES], row[EDGE_BLOCK * LANES];
};

enum { LINE = 64 };

static void sort_fault(int a, int b, struct edge_findings *f)
{
    int one = (a == NO_LEVEL) != (b == NO_LEVEL);
    f->leaving += (uint64_t)one;
    f->apart += (uint64_t)(!one && (a - b > 1 || b - a > 1));
}

static inline __attribute__((always_inline)) void check_levels(const struct claims *c, const struct edge_list *ends,
                                                               int lanes, struct edge_findings *findings)
{
    struct gathered g;
    uint64_t count = ends->count, bytes = count * (uint64_t)lanes, whole = (bytes + LINE - 1) / LINE * LINE;
    uint8_t reached[LINE] = {0}, apart = 0;
    for (uint64_t e = 0; e < count; e++) {
        memcpy(g.col + e * (uint64_t)lanes, c->col_level + (uint64_t)ends->col[e] * (uint64_t)lanes, (size_t)lanes);
        memcpy(g.row + e * (uint64_t)lanes, c->row_level + (uint64_t)ends->row[e] * (uint64_t)lanes, (size_t)lanes);
    }
    memset(g.col + bytes, NO_LEVEL, whole - bytes);
    memset(g.row + bytes, NO_LEVEL, whole - bytes);
    for (uint64_t at = 0; at < whole; at += LINE)
        for (uint64_t i = 0; i < LINE; i++) {
            uint8_t x = g.col[at + i], y = g.row[at + i];
            uint8_t steps = (uint8_t)((x > y ? x : y) - (x > y ? y : x));
            apart |= steps > 1;
            reached[i] = (uint8_t)(reached[i] + (x != NO_LEVEL)); /* at most EDGE_BLOCK * LANES / LINE = 128 */
        }
    for (int i = 0; i < LINE; i++) findings[i % lanes].traversed += reached[i];
    for (uint64_t i = 0; apart && i < bytes; i++) sort_fault(g.col[i], g.row[i], &findings[i % (uint64_t)lanes]);
}

/* Narrow enough for every processor: wider vectors are taken apart before the loader's choice of HOT counts. */
typedef uint32_t four __attribute__((vector_size(16)));

_Static_assert(LANES == 8, "two vectors of four hold the parents of a vertex");

static inline int any_is(const uint32_t *parents, uint32_t row)
{
    four low, high, same = {row, row, row, row};
    uint64_t halves[2];
    memcpy(&low, parents, sizeof low);
    memcpy(&high, parents + 4, sizeof high);
    four hits = (four)(low == same) | (four)(high == same);
    memcpy(halves, &hits, sizeof halves);
    return (halves[0] | halves[1]) != 0;
}

static inline __attribute__((always_inline)) void check_parents(struct claims *c, const uint32_t *child,
                                                                const uint32_t *parent, uint64_t count, int lanes)
{
    for (uint64_t e = 0; e < count; e++) __builtin_prefetch(c->col_parent + (uint64_t)child[e] * (uint64_t)lanes);
    for (uint64_t e = 0; e < count; e++) {
        const uint32_t *claimed = c->col_parent + (uint64_t)child[e] * (uint64_t)lanes;
        if (lanes == 1) {
            if (*claimed == parent[e]) c->confirmed[child[e]] = 1;
            continue;
        }
        if (!any_is(claimed, parent[e])) continue;
        unsigned hits = 0;
        for (unsigned lane = 0; lane < LANES; lane++) hits |= (unsigned)(claimed[lane] == parent[e]) << lane;
        c->confirmed[child[e]] |= (uint8_t)hits;
    }
}

static inline __attribute__((always_inline)) void check_block(struct claims *c, const struct edge_picks *p, int lanes,
                                                              struct edge_findings *findings)
{
    check_levels(c, &p->input, lanes, findings);
    check_levels(c, &p->loops, lanes, findings);
    check_parents(c, p->input.col, p->input.row, p->input.count, lanes);
    if (c->graph->net->ranks == 1) check_parents(c, p->input.row, p->input.col, p->input.count, lanes);
    else check_parents(c, p->mirror.col, p->mirror.row, p->mirror.count, lanes);
}

HOT static void check_for_one(struct claims *c, const struct edge_picks *p, struct edge_findings *findings)
{
    check_block(c, p, 1, findings);
}

HOT static void check_for_all(struct claims *c, const struct edge_picks *p, struct edge_findings *findings)
{
    check_block(c, p, LANES, findings);
}

void check_edges(struct claims *c, struct edge_findings findings[LANES])
{
    const struct graph *g = c->graph;
    int weighted = c->col_distance != NULL;
    struct edge_source source = edges_open(&g->layout, g->edge_factor, g->seed, weighted);
    struct edge_picks picks;
    edges_reserve(&picks.input, 0, weighted);
    edges_reserve(&picks.mirror, 0, weighted);
    edges_reserve(&picks.loops, 0, 0);
    memset(findings, 0, LANES * sizeof *findings);
    while (edges_next(&source, &picks)) {
        if (weighted) check_distances(c, &picks, findings);
        else if (c->lanes == 1) check_for_one(c, &picks, findings);
        else check_for_all(c, &picks, findings);
        picks.input.count = picks.mirror.count = picks.loops.count = 0;
    }
    edges_free(&picks.input);
    edges_free(&picks.mirror);
    edges_free(&picks.loops);
}

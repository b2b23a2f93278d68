/* Most vertices of a rank are in one part, its giant, and so are most copies. Ranks tell which vertices are not, as a
   set; then an edge between giants needs no look but the first, and one from a giant to another part is looked at by
   that part's rank. What is left to tell with a label are vertices outside giants that reach each other, and the
   giants. */
#include <string.h>

#include "components.h"

static void mark_outside(struct job *j)
{
    struct components *c = j->state;
    memset(c->is_outside, 0, words_for(j->graph->all) * sizeof *c->is_outside);
    for (uint32_t k = 0; k < c->outside_count; k++) bit_set(c->is_outside, c->outside[k]);
    phase_ends(j, COMPUTE);
    halo_spread(&j->halo, c->outside, c->outside_count, NULL, 0);
    for (uint64_t k = 0; k < j->halo.arrived_count; k++) bit_set(c->is_outside, j->halo.arrived[k]);
}

/* Parts here with a vertex of a giant elsewhere are one. Others' vertices that parts outside the giant reach are to be
   told. */
static void join_by_giants(struct job *j)
{
    const struct graph *g = j->graph;
    struct components *c = j->state;
    uint64_t n = 0;
    for (int r = 0; r < g->net->ranks; r++) {
        uint32_t first = g->ghost_start[r], touched = 0;
        for (uint32_t k = 0; k < g->ghost_count[r]; k++) {
            c->touched[touched] = k;
            touched += c->part[first + k] < g->own;
        }
        c->giant_of[r] = NO_INDEX;
        c->reaches_start[r] = n;
        for (uint32_t i = 0; i < touched; i++) {
            uint32_t k = c->touched[i], part = c->part[first + k];
            if (bit_get(c->is_outside, first + k)) {
                if (bit_get(c->is_outside, part)) c->reaches[n++] = (struct reach){part, k, UINT64_MAX};
            } else if (c->giant_of[r] == NO_INDEX) {
                c->giant_of[r] = part;
            } else {
                join(c->part, c->giant_of[r], part, 0);
            }
        }
        if (r != g->net->rank) n += GIANTS;
    }
    c->reaches_start[g->net->ranks] = n;
}

/* The number of giants elsewhere that this rank's giant is not joined with yet. */
static int giants_apart(const struct job *j)
{
    const struct graph *g = j->graph;
    const struct components *c = j->state;
    int apart = 0;
    for (int r = 0; r < g->net->ranks; r++)
        apart += g->ghost_count[r] > 0 &&
                 (c->giant_of[r] == NO_INDEX || part_of(c->part, c->giant_of[r]) != part_of(c->part, c->largest));
    return apart;
}

/* Ghosts stand at a list's end. */
static int join_giants_of(struct job *j, const struct lists *l, uint32_t v, int apart)
{
    const struct graph *g = j->graph;
    struct components *c = j->state;
    for (uint64_t at = l->ptr[v + 1]; apart > 0 && at > l->ptr[v] && l->to[at - 1] >= g->own; at--) {
        if (bit_get(c->is_outside, l->to[at - 1])) continue;
        uint32_t *of = &c->giant_of[rank_holding(g->ghost_start, g->net->ranks, l->to[at - 1])];
        if (*of == NO_INDEX) *of = c->largest;
        else if (part_of(c->part, *of) == part_of(c->part, c->largest)) continue;
        join(c->part, *of, c->largest, 0);
        apart--;
    }
    return apart;
}

static void join_giants(struct job *j)
{
    const struct graph *g = j->graph;
    struct components *c = j->state;
    int apart = giants_apart(j);
    for (uint32_t v = 0; v < g->busy && apart > 0; v++) {
        if (bit_get(c->is_outside, v)) continue;
        apart = join_giants_of(j, &g->in, v, apart);
        if (g->directed) apart = join_giants_of(j, &g->out, v, apart);
    }
}

static inline uint64_t label_of(const struct job *j, uint32_t v)
{
    const struct components *c = j->state;
    return (uint64_t)j->graph->ordinal[v] << 32 | (c->first[j->graph->net->rank] + v);
}

/* Of a part; mostly that of the vertex with the smallest ordinal. */
static uint64_t least_label(const struct job *j, uint32_t giant)
{
    const struct graph *g = j->graph;
    const struct components *c = j->state;
    if (part_of(c->part, c->least) == giant) return label_of(j, c->least);
    uint64_t least = UINT64_MAX;
#pragma omp parallel for schedule(static) reduction(min : least)
    for (uint32_t v = 0; v < g->busy; v++)
        if (label_of(j, v) < least && part_of(c->part, v) == giant) least = label_of(j, v);
    return least;
}

static void first_labels(struct job *j)
{
    const struct graph *g = j->graph;
    struct components *c = j->state;
    uint32_t *part = c->part, giant = part_of(part, c->largest), n = 0;
    uint64_t *label = c->label;
    if (g->busy > 0) c->roots[n++] = giant;
    if (g->busy > 0) label[giant] = least_label(j, giant);
    for (uint32_t k = 0; k < c->outside_count; k++) {
        uint32_t v = c->outside[k], root = part[v] = part_of(part, v);
        if (root == giant) continue;
        if (root == v) c->roots[n++] = v;
        if (root == v || label_of(j, v) < label[root]) label[root] = label_of(j, v);
    }
    c->root_count = n;
}

void giants_link(struct job *j)
{
    const struct graph *g = j->graph;
    struct components *c = j->state;
    int ranks = g->net->ranks;
    if (ranks > 1) {
        mark_outside(j);
        join_by_giants(j);
        join_giants(j);
    }
    first_labels(j);
    if (ranks == 1) return;
    uint64_t heard[ranks];
    uint32_t giant = part_of(c->part, c->largest);
    net_gather(g->net, c->label[giant], heard);
    for (int r = 0; r < ranks; r++) {
        struct reach *to = &c->reaches[c->reaches_start[r]], *end = &c->reaches[c->reaches_start[r + 1]] - GIANTS;
        if (r == g->net->rank) continue;
        for (; to < end; to++) to->part = part_of(c->part, to->part);
        uint32_t copies = g->ghost_count[r], reached = c->giant_of[r];
        if (reached != NO_INDEX) reached = c->giant_of[r] = part_of(c->part, reached);
        end[YOURS] = (struct reach){reached, copies + YOURS, heard[r]};
        end[MINE] = (struct reach){copies_of(g, r) ? giant : NO_INDEX, copies + MINE, heard[g->net->rank]};
        if (reached != NO_INDEX) fall(c, reached, heard[r]);
    }
}

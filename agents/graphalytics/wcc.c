/* Weakly connected components: on each rank by union and find, then between ranks by labels.

   A rank joins its own vertices and ghosts along its edges; most of the largest component is found by two neighbours
   each, so that its other edges are passed over (M. Sutton, T. Ben-Nun, A. Barak, "Optimizing parallel graph
   connectivity computation via subgraph sampling", IPDPS'18), those to ghosts too (giants.c). What is joined has a
   label: ordinal and place of its smallest vertex. In each superstep ranks tell labels that fell to those with an edge
   that only labels can join, the owner of a label that was given up gets the better one, and every label is exchanged
   for what its own vertex has by then: so labels run along trees, not paths (Y. Zhang, A. Azad, Z. Hu, "FastSV", SIAM
   PP'20). The result is the smallest ordinal of each component. */
#include <stdlib.h>

#include "components.h"
#include "memory.h"
#include "team.h"

enum { SAMPLED = 2, PROBES = 1024 };

static void open(struct job *j)
{
    const struct graph *g = j->graph;
    struct components *c = j->state = take_zero(sizeof *c);
    size_t all = (size_t)g->all + 1, own = (size_t)g->own + 1, ranks = (size_t)g->net->ranks;
    c->part = take(all * sizeof *c->part);
    c->part[0] = 0; /* of a rank without vertices */
    c->roots = take(own * sizeof *c->roots);
    c->label = take(own * sizeof *c->label);
    c->before = take(own * sizeof *c->before);
    c->outside = take(own * sizeof *c->outside);
    c->is_outside = take((words_for(g->all) + 1) * sizeof *c->is_outside);
    c->giant_of = take(ranks * sizeof *c->giant_of);
    c->reaches = take((all - g->ghosts_from + ranks * GIANTS) * sizeof *c->reaches);
    c->reaches_start = take((ranks + 1) * sizeof *c->reaches_start);
    c->out = take_zero(ranks * sizeof *c->out);
    c->in = take_zero(ranks * sizeof *c->in);
    for (int r = 0; r < (int)ranks; r++) {
        c->out[r].data = take(labels_room(g->ghost_count[r]));
        c->in[r].data = take(labels_room(g->copy_start[r + 1] - g->copy_start[r]));
    }
    c->first = take_zero((ranks + 1) * sizeof *c->first);
    for (size_t r = 0; r < ranks; r++) c->first[r + 1] = c->first[r] + g->own_of[r];
    j->label = take(own * sizeof *j->label);
}

static void close(struct job *j)
{
    struct components *c = j->state;
    for (int r = 0; r < j->graph->net->ranks; r++) {
        free(c->out[r].data);
        free(c->in[r].data);
    }
    free(c->out);
    free(c->in);
    free(c->part);
    free(c->roots);
    free(c->label);
    free(c->before);
    free(c->outside);
    free(c->is_outside);
    free(c->giant_of);
    free(c->reaches);
    free(c->reaches_start);
    free(c->first);
    free(c);
    free(j->label);
}

static void compress(uint32_t *part, uint32_t count)
{
#pragma omp parallel for schedule(static) if (team_size() > 1)
    for (uint32_t v = 0; v < count; v++)
        for (uint32_t above = above_of(part, v), top; above != (top = above_of(part, above)); above = top)
            __atomic_store_n(&part[v], top, __ATOMIC_RELAXED);
}

/* The part that most of a few vertices are in. */
static uint32_t largest_part(const uint32_t *part, uint32_t count)
{
    uint32_t best = 0;
    int most = 0;
    uint32_t seen[PROBES];
    int n = 0;
    for (uint64_t k = 0; k < PROBES && count > 0; k++) seen[n++] = part[k * 0x9e3779b97f4a7c15u % count];
    for (int i = 0; i < n && i < 16; i++) {
        int same = 0;
        for (int k = 0; k < n; k++) same += seen[k] == seen[i];
        if (same > most) best = seen[i], most = same;
    }
    return best;
}

static inline void join_list(uint32_t *part, const struct lists *l, uint32_t v, uint64_t from, int threaded)
{
    for (uint64_t at = l->ptr[v] + from; at < l->ptr[v + 1]; at++) join(part, v, l->to[at], threaded);
}

/* An edge is seen from both ends, so the largest part's may be left to the others; edges between giants are left to
   giants.c. Which vertices are looked at does not depend on the order of unions. `others` has room for them; returns a
   vertex of the largest part. */
static uint32_t join_here(const struct graph *g, uint32_t *part, uint32_t *others)
{
    int threaded = team_size() > 1;
    uint32_t piece = team_piece(g->busy);
    for (uint32_t v = 0; v < g->all; v++) part[v] = v;
    for (uint64_t k = 0; k < SAMPLED; k++) {
#pragma omp parallel for schedule(dynamic, piece) if (threaded)
        for (uint32_t v = 0; v < g->busy; v++)
            if (degree_of(&g->in, v) > k) join(part, v, g->in.to[g->in.ptr[v] + k], threaded);
    }
    compress(part, g->busy);
    uint32_t largest = largest_part(part, g->busy);
    uint32_t n = 0;
    for (uint32_t v = 0; v < g->busy; v++) {
        others[n] = v;
        n += part[v] != largest;
    }
    piece = team_piece(n);
#pragma omp parallel for schedule(dynamic, piece) if (threaded)
    for (uint32_t k = 0; k < n; k++) {
        join_list(part, &g->in, others[k], SAMPLED, threaded);
        if (g->directed) join_list(part, &g->out, others[k], 0, threaded);
    }
    compress(part, g->all);
    return largest;
}

static void run(struct job *j)
{
    const struct graph *g = j->graph;
    struct components *c = j->state;
    uint64_t superstep = 0;
    superstep_begins(j, superstep);
    c->falls = 0;
    c->largest = join_here(g, c->part, c->outside);
    giants_link(j);
    while (g->net->ranks > 1) {
        int fell = labels_fall(j);
        superstep_begins(j, ++superstep);
        if (!fell) break;
    }
    for (uint32_t v = 0; v < g->busy; v++) j->label[v] = (uint32_t)(c->label[c->part[v]] >> 32);
    for (uint32_t v = g->busy; v < g->own; v++) j->label[v] = g->ordinal[v];
    phase_ends(j, COMPUTE);
    j->supersteps = superstep + 1;
}

const struct algorithm wcc = {.name = "wcc", .kind = LABELS, .open = open, .run = run, .close = close};

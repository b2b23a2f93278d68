/* Threads share the vertices. One that reads a distance while it falls gets one of both, which are lengths of paths. */
#include "paths.h"
#include "team.h"

/* The smallest distance by the edges of a list, of those that come from vertices below `below` widths. */
static inline double look_at(const struct paths *p, const struct lists *l, const double *weight, uint32_t v,
                             double below, double best)
{
    for (uint64_t at = l->ptr[v], end = l->ptr[v + 1]; at < end && weight[at] < best; at++) {
        double from;
        __atomic_load(&p->distance[l->to[at]], &from, __ATOMIC_RELAXED);
        if (from * p->bins.per_width < below && from + weight[at] < best) best = from + weight[at];
    }
    return best;
}

static void pull_for(struct paths *p, uint32_t begin, uint32_t stop, double below)
{
    const struct graph *g = p->graph;
    for (uint32_t v = begin; v < stop; v++) {
        double had = p->distance[v];
        if (v + 2 * AHEAD < stop) {
            const struct lists *l = &g->spread;
            uint64_t at = l->ptr[v + 2 * AHEAD], from = p->from.ptr[v + 2 * AHEAD];
            __builtin_prefetch(&l->to[at]);
            __builtin_prefetch(&g->weight[at]);
            __builtin_prefetch(&p->from.to[from]);
            __builtin_prefetch(&p->from_weight[from]);
            __builtin_prefetch(&p->distance[l->to[l->ptr[v + AHEAD]]]);
        }
        if (below_end(p, had)) continue;
        double best = look_at(p, &p->from, p->from_weight, v, below, had);
        if (!g->directed) best = look_at(p, &g->spread, g->weight, v, below, best);
        p->relaxed[v] = !(best < had);
        if (best < had) __atomic_store(&p->distance[v], &best, __ATOMIC_RELAXED);
    }
}

void paths_pull(struct paths *p, double below)
{
    uint32_t busy = p->graph->busy, piece = team_piece(busy);
#pragma omp parallel for schedule(dynamic) if (piece < busy)
    for (uint32_t v = 0; v < busy; v += piece) pull_for(p, v, busy - v < piece ? busy : v + piece, below);
}

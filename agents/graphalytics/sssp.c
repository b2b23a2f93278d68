/* Shortest paths from one vertex by delta-stepping, then by pulling.

   Vertices wait in bins by distance. A rank relaxes those of a bin, its own and ghosts, until none is left, tells those
   who have copies what got nearer, and relaxes from the ghosts that it hears of; when no rank has anything left below
   the bin's end, all go on to the next. Edges stand by weight: only those that end within the bin are relaxed, and the
   vertex waits on in the bin where the next one ends. So hardly an edge is relaxed in vain.

   Once the vertices that are not settled have fewer edges than those of settled ones that were not relaxed, each of
   them pulls: it looks at its own edges, the lightest first, until a weight alone is no less than the distance. First
   it looks at settled ones only; that is told, then all are looked at. Who got nearer by the second look is relaxed,
   ranks go on until nothing is left, and tell what got nearer, until no rank has any.

   The distances are the smallest sums along paths, whatever the order: they depend on neither ranks nor threads. What
   is told does not either, for it is told when a rank has nothing left to do.

   Sources: U. Meyer, P. Sanders, "Delta-stepping: a parallelizable shortest path algorithm", J. Algorithms 49 (2003).
   Pulling, and the end without bins: V. Chakaravarthy, F. Checconi, P. Murali, F. Petrini, Y. Sabharwal, "Scalable
   single source shortest path algorithms for massively parallel systems", IEEE TPDS 28 (2017). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "by-weight.h"
#include "job.h"
#include "memory.h"
#include "paths.h"

/* Bins as wide as the typical step of the shortest of a vertex's edges; between ranks wider, for every bin costs a
   message at least. */
static double bin_width(struct job *j)
{
    const struct graph *g = j->graph;
    double sums[2] = {0, (double)g->spread.ptr[g->all]};
    for (uint64_t at = 0; at < g->spread.ptr[g->all]; at++) sums[0] += g->weight[at];
    double weight = job_sum(j, sums[0]), edges = job_sum(j, sums[1]);
    double degree = edges / (double)g->vertices, mean = edges > 0 ? weight / edges : 0;
    double width = mean / (degree > 1 ? degree : 1) * (g->net->ranks > 1 ? 2 : 1);
    return width > 1e-300 && isfinite(width) ? width : 1;
}

/* What a vertex waits for: to be met, or for its next edge. */
static inline double key_of(const struct paths *p, uint32_t v)
{
    const struct graph *g = p->graph;
    uint32_t relaxed = p->relaxed[v];
    if (relaxed == 0) return p->distance[v];
    uint64_t at = g->spread.ptr[v] + relaxed - 1;
    return at < g->spread.ptr[v + 1] ? p->distance[v] + g->weight[at] : INFINITY;
}

static double key_in_bins(const void *paths, uint32_t v) { return key_of(paths, v); }

static uint64_t ends_of(const struct paths *p, uint32_t v)
{
    return degree_of(&p->from, v) + (p->graph->directed ? 0 : degree_of(&p->graph->spread, v));
}

static void open(struct job *j)
{
    const struct graph *g = j->graph;
    struct paths *p = j->state = take_zero(sizeof *p);
    p->graph = g;
    p->distance = take(((size_t)g->all + 1) * sizeof *p->distance);
    p->relaxed = take(((size_t)g->all + 1) * sizeof *p->relaxed);
    p->changed = take(((size_t)g->own + 1) * sizeof *p->changed);
    p->is_changed = take_zero((words_for(g->own) + 1) * sizeof *p->is_changed);
    p->is_settled = take((words_for(g->all) + 1) * sizeof *p->is_settled);
    p->from = turn_by_weight(g, g->directed ? 0 : g->ghosts_from, &p->from_weight);
    bins_open(&p->bins, bin_width(j), key_in_bins, p);
    p->inner = g->busy;
    while (!g->directed && p->inner > 0 && ends_of(p, p->inner - 1) < 2) p->inner--;
    for (uint32_t v = 0; v < g->busy; v++) p->ends += ends_of(p, v);
    j->real = p->distance;
}

static void close(struct job *j)
{
    struct paths *p = j->state;
    free(p->distance);
    free(p->relaxed);
    free(p->changed);
    free(p->is_changed);
    free(p->is_settled);
    free(p->from.ptr);
    free(p->from.to);
    free(p->from_weight);
    free(p->now.vertex);
    bins_close(&p->bins);
    free(p);
}

/* At a smaller distance all its edges have to be relaxed again. */
static inline void begin_again(struct paths *p, uint32_t v)
{
    if (p->relaxed[v] > 0) p->edges_left += p->relaxed[v] - 1;
    p->relaxed[v] = 0;
}

/* Edges that end within the bin. */
static inline void relax(struct paths *p, uint32_t u)
{
    const struct graph *g = p->graph;
    double from = p->distance[u];
    uint64_t begin = g->spread.ptr[u], end = g->spread.ptr[u + 1];
    uint64_t first = begin + (p->relaxed[u] > 0 ? p->relaxed[u] - 1 : 0), at = first;
    for (; at < end; at++) {
        uint32_t v = g->spread.to[at];
        double distance = from + g->weight[at];
        if (!below_end(p, distance)) break;
        if (distance >= p->distance[v]) continue;
        p->distance[v] = distance;
        if (v >= p->inner) continue;
        begin_again(p, v);
        bins_put(&p->bins, v, distance);
    }
    p->edges_left -= at - first;
    p->relaxed[u] = (uint32_t)(at - begin) + 1;
    if (at < end) bins_put(&p->bins, u, from + g->weight[at]);
}

static void settle(struct paths *p, uint32_t u)
{
    if (bit_get(p->is_settled, u)) return;
    bit_set(p->is_settled, u);
    p->edges_left += degree_of(&p->graph->spread, u);
    if (u < p->graph->own) p->ends_left -= ends_of(p, u);
}

static void change(struct paths *p, uint32_t u)
{
    if (p->graph->net->ranks == 1 || u >= p->graph->own || bit_get(p->is_changed, u)) return;
    bit_set(p->is_changed, u);
    p->changed[p->changed_count++] = u;
}

/* As take_next, with what else will be read of those that follow. */
static inline uint32_t take_waiting(const struct paths *p, const uint32_t *vertex, uint64_t k, uint64_t count)
{
    const struct graph *g = p->graph;
    if (k + 2 * AHEAD < count) {
        uint32_t soon = vertex[k + AHEAD], later = vertex[k + 2 * AHEAD];
        __builtin_prefetch(&g->weight[g->spread.ptr[soon] + p->relaxed[soon]]);
        __builtin_prefetch(&p->relaxed[later]);
        __builtin_prefetch(&p->distance[later]);
    }
    return take_next(&g->spread, vertex, k, count);
}

/* Who waits for a distance within the bin or below, until there is none. */
static void relax_waiting(struct paths *p)
{
    for (bins_take(&p->bins, p->end, &p->now); p->now.count > 0; bins_take(&p->bins, p->end, &p->now))
        for (uint64_t k = 0; k < p->now.count; k++) {
            uint32_t u = take_waiting(p, p->now.vertex, k, p->now.count);
            if (!below_end(p, key_of(p, u))) continue;
            if (p->relaxed[u] == 0) {
                settle(p, u);
                change(p, u);
            }
            relax(p, u);
        }
}

static void relax_arrived(struct job *j)
{
    struct paths *p = j->state;
    for (uint64_t k = 0; k < j->halo.arrived_count; k++) {
        uint32_t u = take_waiting(p, j->halo.arrived, k, j->halo.arrived_count);
        begin_again(p, u);
        settle(p, u);
        relax(p, u);
    }
}

static void tell(struct job *j)
{
    struct paths *p = j->state;
    halo_spread(&j->halo, p->changed, p->changed_count, p->distance, sizeof *p->distance);
    for (uint64_t k = 0; k < p->changed_count; k++) p->is_changed[p->changed[k] / 64] = 0;
    p->changed_count = 0;
}

static int got_nearer(const struct paths *p, uint32_t v) { return p->relaxed[v] == 0 && !below_end(p, p->distance[v]); }

/* All that is not settled: what is no nearer than the bin's end. */
static void pull_all(struct job *j)
{
    struct paths *p = j->state;
    bins_restart(&p->bins, p->end);
    paths_pull(p, p->end);
    for (uint32_t v = 0; v < p->inner; v++)
        if (got_nearer(p, v)) change(p, v);
    phase_ends(j, COMPUTE);
    tell(j);
    phase_ends(j, EXCHANGE);
    paths_pull(p, INFINITY);
    for (uint32_t v = 0; v < p->inner; v++)
        if (got_nearer(p, v)) bins_put(&p->bins, v, p->distance[v]);
    p->end = INFINITY;
}

/* The least distance that waits anywhere: distances are no less than 0, so their bits are in their order. Whether all
   ranks would rather pull. */
static double least_waiting(struct job *j, int *pulls)
{
    struct paths *p = j->state;
    double least = bins_least(&p->bins);
    uint64_t most[2] = {0, p->ends_left > p->edges_left};
    phase_ends(j, COMPUTE);
    memcpy(most, &least, sizeof least);
    most[0] = ~most[0];
    net_max(j->graph->net, most, 2);
    most[0] = ~most[0];
    memcpy(&least, most, sizeof least);
    phase_ends(j, SYNCHRONISE);
    *pulls = !most[1];
    return least;
}

static void plant_source(struct job *j)
{
    const struct graph *g = j->graph;
    struct paths *p = j->state;
    for (uint32_t v = 0; v < g->all; v++) p->distance[v] = INFINITY;
    memset(p->relaxed, 0, g->all * sizeof *p->relaxed);
    memset(p->is_settled, 0, words_for(g->all) * 8);
    p->ends_left = p->ends;
    p->edges_left = 0;
    bins_restart(&p->bins, 0);
    if (g->net->rank != j->source_rank) return;
    p->distance[j->source] = 0;
    bins_put(&p->bins, j->source, 0);
}

static void run(struct job *j)
{
    struct paths *p = j->state;
    uint64_t superstep = 0;
    int pulls = 0;
    superstep_begins(j, 0);
    plant_source(j);
    p->end = 0;
    for (double least = 0; isfinite(least); superstep_begins(j, ++superstep)) {
        if (pulls && !below_end(p, least) && p->end < INFINITY) {
            pull_all(j);
            superstep_begins(j, ++superstep);
        } else if (p->end < INFINITY) p->end = bins_end(&p->bins, least);
        relax_waiting(p);
        phase_ends(j, COMPUTE);
        tell(j);
        phase_ends(j, EXCHANGE);
        superstep_begins(j, ++superstep);
        relax_arrived(j);
        least = least_waiting(j, &pulls);
    }
    j->supersteps = superstep;
}

const struct algorithm sssp =
    {.name = "sssp", .kind = REALS, .needs_source = 1, .needs_weights = 1, .open = open, .run = run, .close = close};

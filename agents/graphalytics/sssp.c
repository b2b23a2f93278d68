/* Shortest paths from one vertex by delta-stepping: vertices are relaxed in the order of bins of distances, those of
   one bin in any order and again when they get nearer. A rank goes on with its own vertices of a bin until none is
   left, tells those who have copies, and relaxes from the ghosts that it hears of; when no rank has anything left below
   the bin's end, all go on to the next. The distances are the smallest sums along paths, whatever the order, so they do
   not depend on ranks or bins.

   Source: U. Meyer, P. Sanders, "Delta-stepping: a parallelizable shortest path algorithm", J. Algorithms 49 (2003). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bins.h"
#include "job.h"
#include "memory.h"

struct paths {
    double *distance; /* per index; of a ghost, what was last heard */
    double *relaxed;  /* per own vertex: the distance that its neighbours have been told here */
    double width;
    struct bins bins;
    struct bin now;    /* taken out of the bins */
    uint32_t *settled; /* own vertices relaxed since the last exchange */
    uint64_t *is_settled;
    uint64_t settled_count;
};

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

static void open(struct job *j)
{
    const struct graph *g = j->graph;
    struct paths *p = j->state = take_zero(sizeof *p);
    p->distance = take(((size_t)g->all + 1) * sizeof *p->distance);
    p->relaxed = take(((size_t)g->own + 1) * sizeof *p->relaxed);
    p->settled = take(((size_t)g->own + 1) * sizeof *p->settled);
    p->is_settled = take((words_for(g->own) + 1) * sizeof *p->is_settled);
    p->width = bin_width(j);
    bins_open(&p->bins, p->width);
    j->real = p->distance;
}

static void close(struct job *j)
{
    struct paths *p = j->state;
    free(p->distance);
    free(p->relaxed);
    free(p->settled);
    free(p->is_settled);
    free(p->now.vertex);
    bins_close(&p->bins);
    free(p);
}

static inline void relax(const struct graph *g, struct paths *p, uint32_t u)
{
    double from = p->distance[u];
    for (uint64_t at = g->spread.ptr[u], end = g->spread.ptr[u + 1]; at < end; at++) {
        uint32_t v = g->spread.to[at];
        double distance = from + g->weight[at];
        if (distance >= p->distance[v]) continue;
        p->distance[v] = distance;
        bins_put(&p->bins, v, distance);
    }
}

/* Own vertices below the limit, until there is none. */
static void relax_own(const struct graph *g, struct paths *p, double limit)
{
    for (bins_take(&p->bins, limit, p->distance, &p->now); p->now.count > 0;
         bins_take(&p->bins, limit, p->distance, &p->now))
        for (uint64_t k = 0; k < p->now.count; k++) {
            uint32_t u = p->now.vertex[k];
            if (p->relaxed[u] <= p->distance[u]) continue;
            p->relaxed[u] = p->distance[u];
            relax(g, p, u);
            if (g->net->ranks == 1 || bit_get(p->is_settled, u)) continue;
            bit_set(p->is_settled, u);
            p->settled[p->settled_count++] = u;
        }
}

static void tell(struct job *j)
{
    struct paths *p = j->state;
    halo_spread(&j->halo, p->settled, p->settled_count, p->distance, sizeof *p->distance);
    for (uint64_t k = 0; k < p->settled_count; k++) p->is_settled[p->settled[k] / 64] = 0;
    p->settled_count = 0;
}

/* The least distance that waits anywhere: distances are no less than 0, so their bits are in their order. */
static double least_waiting(struct job *j)
{
    struct paths *p = j->state;
    double least = bins_least(&p->bins, p->distance);
    uint64_t bits;
    memcpy(&bits, &least, sizeof bits);
    bits = ~bits;
    net_max(j->graph->net, &bits, 1);
    bits = ~bits;
    memcpy(&least, &bits, sizeof least);
    return least;
}

static double end_of_bin(const struct paths *p, double distance)
{
    double end = (floor(distance / p->width) + 1) * p->width;
    return end > distance ? end : nextafter(distance, INFINITY);
}

static void plant_source(struct job *j)
{
    const struct graph *g = j->graph;
    struct paths *p = j->state;
    for (uint32_t v = 0; v < g->all; v++) p->distance[v] = INFINITY;
    for (uint32_t v = 0; v < g->own; v++) p->relaxed[v] = INFINITY;
    memset(p->is_settled, 0, words_for(g->own) * 8);
    p->settled_count = 0;
    bins_restart(&p->bins);
    if (g->net->rank != j->source_rank) return;
    p->distance[j->source] = 0;
    bins_put(&p->bins, j->source, 0);
}

static void run(struct job *j)
{
    const struct graph *g = j->graph;
    struct paths *p = j->state;
    uint64_t superstep = 0;
    superstep_begins(j, 0);
    plant_source(j);
    for (double least = 0; isfinite(least); superstep_begins(j, ++superstep)) {
        relax_own(g, p, end_of_bin(p, least));
        phase_ends(j, COMPUTE);
        tell(j);
        phase_ends(j, EXCHANGE);
        superstep_begins(j, ++superstep);
        for (uint64_t k = 0; k < j->halo.arrived_count; k++) relax(g, p, j->halo.arrived[k]);
        phase_ends(j, COMPUTE);
        least = least_waiting(j);
        phase_ends(j, SYNCHRONISE);
    }
    j->supersteps = superstep;
}

const struct algorithm sssp = {.name = "sssp",
                               .kind = REALS,
                               .needs_source = 1,
                               .needs_weights = 1,
                               .one_thread = 1,
                               .open = open,
                               .run = run,
                               .close = close};

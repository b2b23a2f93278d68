#include "degree-counts.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "halo.h"
#include "memory.h"

static size_t bin_of(uint64_t neighbours)
{
    if (neighbours < EXACT) return (size_t)neighbours;
    size_t bin = EXACT + (size_t)(OCTAVE * log2((double)neighbours / EXACT));
    return bin < BINS ? bin : BINS - 1;
}

static void add(struct degree_counts *d, uint64_t neighbours)
{
    size_t bin = bin_of(neighbours);
    d->vertices[bin]++;
    d->neighbours[bin] += neighbours;
}

/* Of two ascending lists, a vertex in both counted once. */
static uint64_t neighbours_of(const struct graph *g, uint32_t v)
{
    uint64_t count = degree_of(&g->out, v);
    if (!g->directed) return count;
    const uint32_t *out = g->out.to + g->out.ptr[v], *end = g->out.to + g->out.ptr[v + 1];
    for (uint64_t at = g->in.ptr[v]; at < g->in.ptr[v + 1]; at++) {
        while (out < end && *out < g->in.to[at]) out++;
        count += out == end || *out != g->in.to[at];
    }
    return count;
}

/* With weights a rank knows the edges that end at its own vertices: those of its copies go back to their owners. */
static void add_spread(const struct graph *g, struct degree_counts *d)
{
    struct halo halo;
    uint64_t *ends = take_zero(((size_t)g->all + 1) * sizeof *ends);
    for (uint32_t v = 0; v < g->all; v++) ends[v] = degree_of(&g->spread, v);
    halo_open(&halo, g);
    halo_collect(&halo, ends);
    halo_close(&halo);
    for (uint32_t v = 0; v < g->own; v++) add(d, ends[v]);
    free(ends);
}

void degree_counts_of(const struct graph *g, struct degree_counts *d)
{
    memset(d, 0, sizeof *d);
    if (g->weighted) add_spread(g, d);
    for (uint32_t v = 0; v < g->busy && !g->weighted; v++) add(d, neighbours_of(g, v));
    net_sum(g->net, d->vertices, BINS);
    net_sum(g->net, d->neighbours, BINS);
}

void degree_counts_print(const struct degree_counts *d, FILE *file)
{
    const char *before = "";
    for (size_t bin = 1; bin < BINS; bin++) {
        if (d->vertices[bin] == 0) continue;
        double mean = (double)d->neighbours[bin] / (double)d->vertices[bin];
        fprintf(file, "%s%.6g:%" PRIu64, before, mean, d->vertices[bin]);
        before = " ";
    }
}

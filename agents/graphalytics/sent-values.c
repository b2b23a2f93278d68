/* On p ranks, owners being random, a vertex with d neighbours has copies on (p - 1)(1 - (1 - 1/p)^d) other ranks: of
   the others, those that own a neighbour. So the numbers of neighbours alone tell what is sent at any p. */
#include "sent-values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

/* Each number below EXACT has a bin, those above share one with numbers within 1/64 of an octave. */
enum { EXACT = 1024, OCTAVE = 64, BINS = EXACT + OCTAVE * 24 };

struct bins {
    uint64_t vertices[BINS], neighbours[BINS];
};

static size_t bin_of(uint64_t neighbours)
{
    if (neighbours < EXACT) return (size_t)neighbours;
    size_t bin = EXACT + (size_t)(OCTAVE * log2((double)neighbours / EXACT));
    return bin < BINS ? bin : BINS - 1;
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

static int ranks_at(int k) { return (k % 2 == 0 ? 2 : 3) << k / 2; }

static double values_on(const struct bins *b, double ranks)
{
    double sum = 0;
    for (size_t k = 0; k < BINS; k++) {
        if (b->vertices[k] == 0) continue;
        double mean = (double)b->neighbours[k] / (double)b->vertices[k];
        sum -= (double)b->vertices[k] * expm1(mean * log1p(-1 / ranks));
    }
    return sum * (ranks - 1) / ranks;
}

static void add(struct bins *b, uint64_t neighbours)
{
    size_t bin = bin_of(neighbours);
    b->vertices[bin]++;
    b->neighbours[bin] += neighbours;
}

/* With weights a rank knows the edges that end at its own vertices: those of its copies go back to their owners. */
static void add_spread(struct halo *h, struct bins *b)
{
    const struct graph *g = h->graph;
    uint64_t *ends = take_zero(((size_t)g->all + 1) * sizeof *ends);
    for (uint32_t v = 0; v < g->all; v++) ends[v] = degree_of(&g->spread, v);
    halo_collect(h, ends);
    for (uint32_t v = 0; v < g->own; v++) add(b, ends[v]);
    free(ends);
}

void sent_values_of(struct halo *h, struct sent_values *s)
{
    static struct bins b;
    const struct graph *g = h->graph;
    memset(&b, 0, sizeof b);
    if (g->weighted) add_spread(h, &b);
    for (uint32_t v = 0; v < g->busy && !g->weighted; v++) add(&b, neighbours_of(g, v));
    net_sum(g->net, b.vertices, BINS);
    net_sum(g->net, b.neighbours, BINS);
    for (int k = 0; k < SENT_COUNTS; k++) s->at[k] = values_on(&b, ranks_at(k));
}

void sent_values_print(const struct sent_values *s, FILE *file)
{
    for (int k = 0; k < SENT_COUNTS; k++) fprintf(file, "%s%d:%.9g", k ? " " : "", ranks_at(k), s->at[k]);
}

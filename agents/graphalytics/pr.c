/* PageRank, by pulling: every vertex sums what its in-neighbours give, rank over out-degree. Who has no out-edge gives
   its rank to all alike, through one sum over all ranks.

   rank'[v] = (1 - d)/|V| + d * (sum of rank[u]/|out(u)| over in(v) + dangling/|V|)

   What a vertex gives is rounded to 24 bits, which halves what is sent and what sums read, on one rank as on many;
   ranks and sums are doubles. A relative error of 2^-24 in each iteration adds up to 2^-24 * d / (1 - d), 4e-7 for d =
   0.85.

   The cut is covered (cover.h): sums for ghosts go to their owners in the message that brings the ghosts' values, and
   are rounded too.

   Source: Graphalytics' definition, A. Iosup et al., "LDBC Graphalytics", PVLDB 9(13), 2016, appendix. */
#include <stdlib.h>
#include <string.h>

#include "hot.h"
#include "job.h"
#include "memory.h"
#include "team.h"

/* Entries that processors do not fetch ahead by themselves where a page of 4 KiB ends; they are read once. */
enum { ENTRIES_AHEAD = 256 };

struct ranking {
    float *share;     /* per index: rank over out-degree */
    double *per_edge; /* per own vertex: one over out-degree; 0 without out-edges */
    double dangling;  /* rank of own vertices without out-edges */
    double *sums;     /* per ghost: what own vertices give it; NULL on one rank */
};

static void open(struct job *j)
{
    const struct graph *g = j->graph;
    struct ranking *r = j->state = take_zero(sizeof *r);
    r->share = take_zero(((size_t)g->all + 1) * sizeof *r->share);
    r->per_edge = take(((size_t)g->own + 1) * sizeof *r->per_edge);
    for (uint32_t v = 0; v < g->own; v++) {
        uint64_t degree = g->out_degree ? g->out_degree[v] : degree_of(&g->out, v);
        r->per_edge[v] = degree > 0 ? 1 / (double)degree : 0;
    }
    if (g->back.ptr) r->sums = take(((size_t)(g->all - g->ghosts_from) + 1) * sizeof *r->sums);
    j->real = take(((size_t)g->own + 1) * sizeof *j->real);
}

static void close(struct job *j)
{
    struct ranking *r = j->state;
    free(r->share);
    free(r->per_edge);
    free(r->sums);
    free(r);
    free(j->real);
}

HOT static void pull_for(const struct lists *l, uint32_t begin, uint32_t stop, const float *restrict share, double base,
                         double damping, double *restrict rank)
{
    const uint64_t *restrict ptr = l->ptr;
    const uint32_t *restrict to = l->to;
    for (uint32_t v = begin; v < stop; v++) {
        uint64_t at = ptr[v], end = ptr[v + 1];
        double a = 0, b = 0, c = 0, d = 0;
        for (; at + 4 <= end; at += 4) {
            __builtin_prefetch(&to[at + ENTRIES_AHEAD], 0, 0);
            a += share[to[at]];
            b += share[to[at + 1]];
            c += share[to[at + 2]];
            d += share[to[at + 3]];
        }
        for (; at < end; at++) a += share[to[at]];
        rank[v] = base + damping * ((a + b) + (c + d));
    }
}

static void pull(const struct lists *l, uint32_t own, const float *share, double base, double damping, double *rank)
{
    int pieces = team_pieces();
#pragma omp parallel for schedule(dynamic) if (pieces > 1)
    for (int k = 0; k < pieces; k++)
        pull_for(l, piece_begins(l->ptr, own, k, pieces), piece_begins(l->ptr, own, k + 1, pieces), share, base,
                 damping, rank);
}

HOT static double give_from(uint32_t begin, uint32_t stop, const double *restrict rank, const double *restrict per_edge,
                            float *restrict share)
{
    double dangling = 0;
    for (uint32_t v = begin; v < stop; v++) {
        share[v] = (float)(rank[v] * per_edge[v]);
        dangling += per_edge[v] == 0 ? rank[v] : 0;
    }
    return dangling;
}

/* Summed in the order of parts, so that a repetition gives the same. */
static double give(uint32_t own, const double *rank, const double *per_edge, float *share)
{
    int parts = team_size();
    double dangling = 0, of[parts];
#pragma omp parallel for schedule(static, 1) if (parts > 1)
    for (int k = 0; k < parts; k++) {
        uint64_t begin = (uint64_t)own * (uint64_t)k / (uint64_t)parts;
        uint64_t stop = (uint64_t)own * (uint64_t)(k + 1) / (uint64_t)parts;
        of[k] = give_from((uint32_t)begin, (uint32_t)stop, rank, per_edge, share);
    }
    for (int k = 0; k < parts; k++) dangling += of[k];
    return dangling;
}

/* What everybody needs for the next iteration. */
static double share_out(struct job *j)
{
    const struct graph *g = j->graph;
    struct ranking *r = j->state;
    double dangling = give(g->own, j->real, r->per_edge, r->share);
    if (r->sums) pull(&g->back, g->all - g->ghosts_from, r->share, 0, 1, r->sums);
    phase_ends(j, COMPUTE);
    if (r->sums) halo_trade(&j->halo, r->share, r->sums);
    phase_ends(j, EXCHANGE);
    dangling = job_sum(j, dangling);
    phase_ends(j, SYNCHRONISE);
    return dangling;
}

static void run(struct job *j)
{
    const struct graph *g = j->graph;
    struct ranking *r = j->state;
    double n = (double)g->vertices;
    superstep_begins(j, 0);
    for (uint32_t v = 0; v < g->own; v++) j->real[v] = 1 / n;
    for (int i = 1; i <= j->iterations; i++) {
        double dangling = share_out(j);
        superstep_begins(j, (uint64_t)i);
        pull(&g->in, g->own, r->share, (1 - j->damping) / n + j->damping * dangling / n, j->damping, j->real);
        if (r->sums) halo_add(&j->halo, j->damping, j->real);
    }
    phase_ends(j, COMPUTE);
    j->supersteps = (uint64_t)j->iterations;
}

const struct algorithm pr = {.name = "pr", .kind = REALS, .covers_cut = 1, .open = open, .run = run, .close = close};

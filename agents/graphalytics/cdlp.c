/* Community detection by label propagation, synchronous: every vertex takes the label that most of its edges lead to,
   coming and going, the smallest of those. A label is the ordinal of a vertex, so the smallest is that of the smallest
   id. What changed is told to who has copies.

   Source: Graphalytics' deterministic variant of U. Raghavan, R. Albert, S. Kumara, "Near linear time algorithm to
   detect community structures in large-scale networks", Phys. Rev. E 76 (2007). */
#include <stdlib.h>
#include <string.h>

#include "job.h"
#include "memory.h"
#include "team.h"

struct tally {
    uint32_t label, count; /* count 0: empty */
};

struct propagation {
    uint32_t *label;     /* per index */
    uint32_t *next;      /* per own vertex */
    uint32_t *changed;   /* own vertices */
    struct tally *tally; /* a table per thread */
    uint64_t size;       /* of each */
};

static void open(struct job *j)
{
    const struct graph *g = j->graph;
    struct propagation *p = j->state = take_zero(sizeof *p);
    uint64_t most = 1, size = 1;
    for (uint32_t v = 0; v < g->busy; v++) {
        uint64_t degree = degree_of(&g->in, v) + (g->directed ? degree_of(&g->out, v) : 0);
        if (degree > most) most = degree;
    }
    while (size < 2 * most) size *= 2;
    p->label = take(((size_t)g->all + 1) * sizeof *p->label);
    p->next = take(((size_t)g->own + 1) * sizeof *p->next);
    p->changed = take(((size_t)g->own + 1) * sizeof *p->changed);
    p->tally = take_zero(size * (uint64_t)team_size() * sizeof *p->tally);
    p->size = size;
    j->label = p->label;
}

static void close(struct job *j)
{
    struct propagation *p = j->state;
    free(p->label);
    free(p->next);
    free(p->changed);
    free(p->tally);
    free(p);
}

struct choice {
    uint32_t label, count;
};

/* Counts by open addressing in a table of twice as many places as there are edges; it is left empty. */
static inline void count_list(const struct lists *l, uint32_t v, const uint32_t *label, struct tally *tally,
                              uint32_t mask, struct choice *best)
{
    for (uint64_t at = l->ptr[v], end = l->ptr[v + 1]; at < end; at++) {
        uint32_t one = label[l->to[at]], place = one * 0x9e3779b1u >> 7 & mask;
        while (tally[place].count && tally[place].label != one) place = (place + 1) & mask;
        uint32_t count = ++tally[place].count;
        tally[place].label = one;
        if (count > best->count || (count == best->count && one < best->label)) *best = (struct choice){one, count};
    }
}

static uint32_t choose(const struct graph *g, const struct propagation *p, struct tally *tally, uint32_t v)
{
    uint64_t degree = degree_of(&g->in, v) + (g->directed ? degree_of(&g->out, v) : 0);
    struct choice best = {p->label[v], 0};
    if (degree == 1) return p->label[degree_of(&g->in, v) ? g->in.to[g->in.ptr[v]] : g->out.to[g->out.ptr[v]]];
    uint32_t size = degree < 2 ? 2 : (uint32_t)1 << (64 - __builtin_clzll(2 * degree - 1));
    count_list(&g->in, v, p->label, tally, size - 1, &best);
    if (g->directed) count_list(&g->out, v, p->label, tally, size - 1, &best);
    memset(tally, 0, size * sizeof *tally);
    return best.label;
}

static void choose_all(const struct graph *g, const struct propagation *p)
{
    int pieces = team_pieces();
#pragma omp parallel for schedule(dynamic) if (pieces > 1)
    for (int k = 0; k < pieces; k++) {
        struct tally *tally = p->tally + p->size * (uint64_t)team_place();
        uint32_t stop = piece_begins(g->in.ptr, g->busy, k + 1, pieces);
        for (uint32_t v = piece_begins(g->in.ptr, g->busy, k, pieces); v < stop; v++)
            p->next[v] = choose(g, p, tally, v);
    }
}

static uint64_t take_over(struct job *j)
{
    struct propagation *p = j->state;
    uint64_t n = 0;
    for (uint32_t v = 0; v < j->graph->busy; v++) {
        p->changed[n] = v;
        n += p->next[v] != p->label[v];
        p->label[v] = p->next[v];
    }
    return n;
}

static void run(struct job *j)
{
    const struct graph *g = j->graph;
    struct propagation *p = j->state;
    uint64_t changed = 1;
    int i = 0;
    superstep_begins(j, 0);
    memcpy(p->label, g->ordinal, (size_t)g->own * sizeof *p->label);
    phase_ends(j, COMPUTE);
    halo_fill(&j->halo, p->label, sizeof *p->label);
    phase_ends(j, EXCHANGE);
    while (i < j->iterations && changed > 0) {
        superstep_begins(j, (uint64_t)++i);
        choose_all(g, p);
        changed = take_over(j);
        phase_ends(j, COMPUTE);
        halo_spread(&j->halo, p->changed, changed, p->label, sizeof *p->label);
        phase_ends(j, EXCHANGE);
        net_sum(g->net, &changed, 1);
        phase_ends(j, SYNCHRONISE);
    }
    j->supersteps = (uint64_t)i;
}

const struct algorithm cdlp = {.name = "cdlp", .kind = LABELS, .open = open, .run = run, .close = close};

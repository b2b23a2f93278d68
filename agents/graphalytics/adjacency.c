/* Lists of neighbours by counting sorts: edges grouped by one end are handed out, in the order of that end, to the
   lists of the other, which so come out sorted without a comparison. Behind every list is room for 16 more: loops may
   read a whole stride. */
#include <stdlib.h>
#include <string.h>

#include "hot.h"
#include "load.h"
#include "memory.h"

enum { STRIDE = 16 };

/* Counts stand two places on: after prefix sums ptr[v + 1] is where the list of v begins, and moves as it is filled, so
   that in the end it is where the next one begins. */
static struct lists lists_open(uint32_t size)
{
    return (struct lists){take_zero(((size_t)size + 2) * sizeof(uint64_t)), NULL};
}

static void lists_take(struct lists *l, uint32_t size)
{
    for (uint32_t v = 0; v < size; v++) l->ptr[v + 2] += l->ptr[v + 1];
    l->to = take((l->ptr[size + 1] + STRIDE) * sizeof *l->to);
    memset(l->to + l->ptr[size + 1], 0, STRIDE * sizeof *l->to);
}

static void lists_free(struct lists *l)
{
    free(l->ptr);
    free(l->to);
}

/* From numbers to indices, once. An undirected edge then leads to its lower index: that end is own. */
static void renumber(struct edge_list *e, const uint32_t *index, int directed)
{
    for (uint32_t c = 0; c < e->count; c++) {
        struct edge_chunk *k = &e->chunks[c];
        for (uint32_t i = 0; i < k->count; i++) {
            uint32_t tail = index[k->tail[i]], head = index[k->head[i]];
            int swap = !directed & (tail < head);
            k->tail[i] = swap ? head : tail;
            k->head[i] = swap ? tail : head;
        }
    }
}

/* Edges grouped by `from`, of which those with own `to` count. */
struct grouping {
    uint32_t size, own; /* indices of `from`; `to` is below own */
};

static void count_one(struct lists *l, struct grouping how, const uint32_t *from, const uint32_t *to, uint32_t count)
{
    uint64_t *n = l->ptr + 2;
    for (uint32_t i = 0; i < count; i++)
        if (to[i] < how.own) n[from[i]]++;
}

static void scatter_one(struct lists *l, struct grouping how, const uint32_t *from, const uint32_t *to, uint32_t count)
{
    uint64_t *next = l->ptr + 1;
    for (uint32_t i = 0; i < count; i++)
        if (to[i] < how.own) l->to[next[from[i]]++] = to[i];
}

static void scatter_weighted(struct lists *l, double *weight, struct grouping how, const struct edge_chunk *k)
{
    uint64_t *next = l->ptr + 1;
    for (uint32_t i = 0; i < k->count; i++) {
        if (k->head[i] >= how.own) continue;
        uint64_t at = next[k->tail[i]]++;
        weight[at] = k->weight[i];
        l->to[at] = k->head[i];
    }
}

static double *take_weights(const struct lists *l, uint32_t size)
{
    return take((l->ptr[size + 1] + STRIDE) * sizeof(double));
}

static struct lists by_tail(const struct edge_list *e, struct grouping how, double **weight)
{
    struct lists l = lists_open(how.size);
    for (uint32_t c = 0; c < e->count; c++)
        count_one(&l, how, e->chunks[c].tail, e->chunks[c].head, e->chunks[c].count);
    lists_take(&l, how.size);
    *weight = e->weighted ? take_weights(&l, how.size) : NULL;
    for (uint32_t c = 0; c < e->count; c++)
        if (*weight) scatter_weighted(&l, *weight, how, &e->chunks[c]);
        else scatter_one(&l, how, e->chunks[c].tail, e->chunks[c].head, e->chunks[c].count);
    return l;
}

static struct lists by_head(const struct edge_list *e, struct grouping how)
{
    struct lists l = lists_open(how.size);
    for (uint32_t c = 0; c < e->count; c++)
        count_one(&l, how, e->chunks[c].head, e->chunks[c].tail, e->chunks[c].count);
    lists_take(&l, how.size);
    for (uint32_t c = 0; c < e->count; c++)
        scatter_one(&l, how, e->chunks[c].head, e->chunks[c].tail, e->chunks[c].count);
    return l;
}

/* The same edges by their other end, sorted: every index goes, in ascending order, to the lists of those in its own.
   Weights, unless NULL, go along to new memory. */
static struct lists turned(const struct lists *l, uint32_t size, uint32_t new_size, double **weight)
{
    struct lists t = lists_open(new_size);
    uint64_t count = l->ptr[size], *n = t.ptr + 2, *next = t.ptr + 1;
    for (uint64_t at = 0; at < count; at++) n[l->to[at]]++;
    lists_take(&t, new_size);
    double *old = weight ? *weight : NULL, *new = weight ? take_weights(&t, new_size) : NULL;
    for (uint32_t v = 0; v < size; v++)
        for (uint64_t at = l->ptr[v], end = l->ptr[v + 1]; at < end; at++) {
            uint64_t to = next[l->to[at]]++;
            t.to[to] = v;
            if (new) new[to] = old[at];
        }
    if (weight) *weight = new;
    free(old);
    return t;
}

/* Where the higher neighbours of each own vertex begin. */
static void find_higher(const struct lists *l, const struct lists *half, uint32_t own, uint64_t *higher)
{
    for (uint32_t v = 0; v < own; v++) higher[v] = l->ptr[v + 1] + degree_of(half, v);
}

/* Undirected lists of own vertices, sorted, from `half`, where each index has its lower neighbours only. It gives every
   vertex its higher neighbours, in ascending order; those so give it the lower ones. Frees `half`; weights, unless
   NULL, move to new memory. */
static struct lists both_ways(struct lists *half, const struct graph *g, double **weight)
{
    uint32_t size = g->net->ranks == 1 ? g->all : g->own; /* on one rank the lists are those of `spread` too */
    struct lists l = lists_open(size);
    uint64_t count = half->ptr[g->all], *n = l.ptr + 2, *next = l.ptr + 1;
    uint64_t *higher = take(((size_t)g->own + 1) * sizeof *higher);
    for (uint32_t v = 0; v < g->own; v++) n[v] = degree_of(half, v);
    for (uint64_t at = 0; at < count; at++) n[half->to[at]]++;
    lists_take(&l, size);
    double *w = weight ? take_weights(&l, size) : NULL;
    if (w) { /* before the targets, so that the old weights are gone when those come */
        find_higher(&l, half, g->own, higher);
        for (uint64_t at = 0; at < count; at++) w[higher[half->to[at]]++] = (*weight)[at];
        free(*weight);
        *weight = w;
    }
    find_higher(&l, half, g->own, higher);
    for (uint32_t v = 0; v < g->all; v++)
        for (uint64_t at = half->ptr[v], end = half->ptr[v + 1]; at < end; at++) l.to[higher[half->to[at]]++] = v;
    lists_free(half);
    for (uint32_t u = 0; u < g->own; u++) { /* its lower neighbours are all there: next[u] is at its higher ones */
        for (uint64_t at = next[u]; at < higher[u] && l.to[at] < g->own; at++) {
            uint64_t to = next[l.to[at]]++;
            l.to[to] = u;
            if (w) w[to] = w[at];
        }
        next[u] = higher[u];
    }
    free(higher);
    return l;
}

HOT static uint64_t count_repeats(const struct lists *l, uint32_t size)
{
    uint64_t repeats = 0;
    for (uint32_t v = 0; v < size; v++)
        for (uint64_t at = l->ptr[v] + 1; at < l->ptr[v + 1]; at++) repeats += l->to[at] == l->to[at - 1];
    return repeats;
}

/* False after a sentence where an edge stands twice. `in` is sorted. */
static int each_once(const struct loading *l, const struct lists *in)
{
    const struct graph *g = l->graph;
    uint64_t repeats = count_repeats(in, g->own), any = repeats, n = 0;
    net_max(g->net, &any, 1);
    if (any == 0) return 1;
    uint64_t *edges = take((repeats + 1) * sizeof *edges);
    for (uint32_t v = 0; v < g->own; v++)
        for (uint64_t at = in->ptr[v] + 1; at < in->ptr[v + 1]; at++) {
            uint64_t u = in->to[at];
            if (u == in->to[at - 1]) edges[n++] = g->directed || u < v ? u << 32 | v : (uint64_t)v << 32 | u;
        }
    fault_said(g->net, l->files->edges, find_repeat(l, edges, repeats));
    free(edges);
    return 0;
}

static int build_undirected(struct loading *l, struct lists half, double *weight)
{
    struct graph *g = l->graph;
    int alone = g->net->ranks == 1;
    double **weights = weight ? &weight : NULL;
    struct lists all = both_ways(&half, g, weights);
    g->in = all;
    if (!each_once(l, &all)) return 0;
    g->spread = alone ? all : turned(&all, g->own, g->all, weights);
    g->out = g->in;
    g->weight = weight;
    if (!weight) return 1;
    if (!alone) lists_free(&all);
    g->in = g->out = (struct lists){NULL, NULL};
    return 1;
}

static int build_directed(struct loading *l, struct grouping how)
{
    struct graph *g = l->graph;
    int alone = g->net->ranks == 1;
    g->in = turned(&g->spread, g->all, g->own, NULL);
    if (!each_once(l, &g->in)) return 0;
    if (g->weight) {
        lists_free(&g->in);
        g->in = (struct lists){NULL, NULL};
        return 1;
    }
    if (alone) lists_free(&g->spread);
    struct lists heads = alone ? g->in : by_head(&l->tails, how);
    edge_list_free(&l->tails);
    g->out = turned(&heads, alone ? g->own : g->all, g->own, NULL);
    if (alone) g->spread = g->out;
    else lists_free(&heads);
    return 1;
}

int build_adjacency(struct loading *l)
{
    struct graph *g = l->graph;
    struct grouping how = {.size = g->all, .own = g->own};
    double *weight;
    renumber(&l->heads, l->index, g->directed);
    renumber(&l->tails, l->index, g->directed);
    struct lists lists = by_tail(&l->heads, how, &weight);
    edge_list_free(&l->heads);
    if (!g->directed) return build_undirected(l, lists, weight);
    g->spread = lists;
    g->weight = weight;
    return build_directed(l, how);
}

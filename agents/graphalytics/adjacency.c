/* Lists of neighbours by counting sorts: edges grouped by one end are handed out, in the order of that end, to the
   lists of the other, which so come out sorted without a comparison. Behind every list is room for 16 more: loops may
   read a whole stride. */
#include <stdlib.h>
#include <string.h>

#include "by-weight.h"
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

static void lists_count(struct lists *l, uint32_t size)
{
    for (uint32_t v = 0; v < size; v++) l->ptr[v + 2] += l->ptr[v + 1];
}

static void lists_take(struct lists *l, uint32_t size)
{
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
    int by_tail;
    uint32_t size, own; /* indices of `from`; `to` is below own */
};

static const uint32_t *from_of(const struct edge_chunk *k, struct grouping how)
{
    return how.by_tail ? k->tail : k->head;
}
static const uint32_t *to_of(const struct edge_chunk *k, struct grouping how)
{
    return how.by_tail ? k->head : k->tail;
}

static void count_one(struct lists *l, struct grouping how, const struct edge_chunk *k)
{
    const uint32_t *from = from_of(k, how), *to = to_of(k, how);
    uint64_t *n = l->ptr + 2;
    for (uint32_t i = 0; i < k->count; i++)
        if (to[i] < how.own) n[from[i]]++;
}

static void scatter_one(struct lists *l, struct grouping how, const struct edge_chunk *k, double *weight)
{
    const uint32_t *from = from_of(k, how), *to = to_of(k, how);
    uint64_t *next = l->ptr + 1;
    for (uint32_t i = 0; i < k->count; i++) {
        if (to[i] >= how.own) continue;
        uint64_t at = next[from[i]]++;
        l->to[at] = to[i];
        if (weight) weight[at] = k->weight[i];
    }
}

static double *take_weights(const struct lists *l, uint32_t size)
{
    return take((l->ptr[size + 1] + STRIDE) * sizeof(double));
}

/* With `weight`, unless NULL, where the edges have some. */
static struct lists grouped(const struct edge_list *e, struct grouping how, double **weight)
{
    struct lists l = lists_open(how.size);
    for (uint32_t c = 0; c < e->count; c++) count_one(&l, how, &e->chunks[c]);
    lists_count(&l, how.size);
    lists_take(&l, how.size);
    double *w = weight && e->weighted ? take_weights(&l, how.size) : NULL;
    for (uint32_t c = 0; c < e->count; c++) scatter_one(&l, how, &e->chunks[c], w);
    if (weight) *weight = w;
    return l;
}

/* The same edges by their other end, sorted: every index goes, in ascending order, to the lists of those in its own.
   Where it goes is fetched ahead: almost every store misses the cache. Weights, unless NULL, go along to new memory. */
static struct lists turned(const struct lists *l, uint32_t size, uint32_t new_size, double **weight)
{
    struct lists t = lists_open(new_size);
    uint64_t count = l->ptr[size], *n = t.ptr + 2, *next = t.ptr + 1;
    for (uint64_t at = 0; at < count; at++) n[l->to[at]]++;
    lists_count(&t, new_size);
    lists_take(&t, new_size);
    double *old = weight ? *weight : NULL, *new = weight ? take_weights(&t, new_size) : NULL;
    for (uint32_t v = 0; v < size; v++)
        for (uint64_t at = l->ptr[v], end = l->ptr[v + 1]; at < end; at++) {
            uint64_t to = next[l->to[at]]++, soon = next[l->to[at + STRIDE]];
            __builtin_prefetch(&t.to[soon], 1);
            t.to[to] = v;
            if (!new) continue;
            __builtin_prefetch(&new[soon], 1);
            new[to] = old[at];
        }
    if (weight) *weight = new;
    free(old);
    return t;
}

/* As both_ways does with indices. Weights move to new memory before lists are taken, so that the old ones are gone. */
static double *weights_both_ways(const struct lists *half, const struct graph *g, const struct lists *l, uint32_t size,
                                 double *old)
{
    double *new = take_weights(l, size);
    uint64_t *next = take(((size_t)g->own + 1) * sizeof *next), count = half->ptr[g->all];
    memcpy(next, l->ptr + 1, g->own * sizeof *next);
    for (uint32_t v = 0; v < g->own; v++) {
        uint64_t degree = degree_of(half, v);
        memcpy(new + next[v], old + half->ptr[v], degree * sizeof *new);
        next[v] += degree;
    }
    for (uint64_t at = 0; at < count; at++) new[next[half->to[at]]++] = old[at];
    free(next);
    free(old);
    return new;
}

/* Undirected lists of own vertices, sorted, from `half`, where each index has its lower neighbours only, sorted. Each
   gives itself to those in ascending order; so come their higher neighbours, behind the lower ones. Frees `half`;
   weights, unless NULL, move to new memory. */
static struct lists both_ways(struct lists *half, const struct graph *g, double **weight)
{
    uint32_t size = g->net->ranks == 1 ? g->all : g->own; /* on one rank the lists are those of `spread` too */
    struct lists l = lists_open(size);
    uint64_t count = half->ptr[g->all], *n = l.ptr + 2, *next = l.ptr + 1;
    for (uint32_t v = 0; v < g->own; v++) n[v] = degree_of(half, v);
    for (uint64_t at = 0; at < count; at++) n[half->to[at]]++;
    lists_count(&l, size);
    if (weight) *weight = weights_both_ways(half, g, &l, size, *weight);
    lists_take(&l, size);
    for (uint32_t v = 0; v < g->own; v++) {
        uint64_t degree = degree_of(half, v);
        memcpy(l.to + next[v], half->to + half->ptr[v], degree * sizeof *l.to);
        next[v] += degree;
    }
    for (uint32_t v = 0; v < g->all; v++)
        for (uint64_t at = half->ptr[v], end = half->ptr[v + 1]; at < end; at++) l.to[next[half->to[at]]++] = v;
    lists_free(half);
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
    struct lists lower = turned(&half, g->own, g->all, weights);
    lists_free(&half);
    struct lists all = both_ways(&lower, g, weights);
    g->in = all;
    if (!each_once(l, &all)) return 0;
    g->spread = alone ? all : turned(&all, g->own, g->all, weights);
    g->out = g->in;
    g->weight = weight;
    if (!weight) return 1;
    sort_by_weight(&g->spread, g->all, weight);
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
        sort_by_weight(&g->spread, g->all, g->weight);
        lists_free(&g->in);
        g->in = (struct lists){NULL, NULL};
        return 1;
    }
    if (alone) lists_free(&g->spread);
    struct lists heads = alone ? g->in : grouped(&l->tails, how, NULL);
    edge_list_free(&l->tails);
    g->out = turned(&heads, alone ? g->own : g->all, g->own, NULL);
    if (alone) g->spread = g->out;
    else lists_free(&heads);
    return 1;
}

int build_adjacency(struct loading *l)
{
    struct graph *g = l->graph;
    struct grouping by_tail = {1, g->all, g->own}, by_head = {0, g->directed ? g->all : g->own, UINT32_MAX};
    double *weight;
    renumber(&l->heads, l->index, g->directed);
    renumber(&l->tails, l->index, g->directed);
    struct lists lists = grouped(&l->heads, g->directed ? by_tail : by_head, &weight);
    edge_list_free(&l->heads);
    if (!g->directed) return build_undirected(l, lists, weight);
    g->spread = lists;
    g->weight = weight;
    return build_directed(l, by_head);
}

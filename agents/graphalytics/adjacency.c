/* Lists of neighbours by counting sorts: edges grouped by one end are handed out, in the order of that end, to the
   lists of the other, which so come out sorted without a comparison. */
#include <stdlib.h>
#include <string.h>

#include "by-weight.h"
#include "filling.h"
#include "hot.h"
#include "load.h"
#include "memory.h"
#include "team.h"

static void lists_free(struct lists *l)
{
    free(l->ptr);
    free(l->to);
}

/* Of each chunk every piece has its share. */
static uint32_t share_begins(const struct edge_chunk *k, int piece, int pieces)
{
    return (uint32_t)((uint64_t)k->count * (uint64_t)piece / (uint64_t)pieces);
}

/* From numbers to indices, once. An undirected edge then leads to its lower index: that end is own. */
static void renumber(struct edge_list *e, const uint32_t *index, int directed)
{
    int pieces = team_size();
#pragma omp parallel for schedule(static, 1) if (pieces > 1)
    for (int p = 0; p < pieces; p++)
        for (uint32_t c = 0; c < e->count; c++) {
            struct edge_chunk *k = &e->chunks[c];
            for (uint32_t i = share_begins(k, p, pieces), end = share_begins(k, p + 1, pieces); i < end; i++) {
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

static void count_piece(const struct filling *f, int p, struct grouping how, const struct edge_list *e)
{
    uint64_t *n = f->cursor[p];
    for (uint32_t c = 0; c < e->count; c++) {
        const struct edge_chunk *k = &e->chunks[c];
        const uint32_t *from = from_of(k, how), *to = to_of(k, how);
        for (uint32_t i = share_begins(k, p, f->pieces), end = share_begins(k, p + 1, f->pieces); i < end; i++)
            if (to[i] < how.own) n[from[i]]++;
    }
}

static void scatter_piece(const struct filling *f, int p, struct grouping how, const struct edge_list *e,
                          double *weight)
{
    uint64_t *next = f->cursor[p];
    for (uint32_t c = 0; c < e->count; c++) {
        const struct edge_chunk *k = &e->chunks[c];
        const uint32_t *from = from_of(k, how), *to = to_of(k, how);
        for (uint32_t i = share_begins(k, p, f->pieces), end = share_begins(k, p + 1, f->pieces); i < end; i++) {
            if (to[i] >= how.own) continue;
            uint64_t at = next[from[i]]++;
            f->lists.to[at] = to[i];
            if (weight) weight[at] = k->weight[i];
        }
    }
}

static double *take_weights(const struct filling *f)
{
    return take((f->lists.ptr[f->size + 1] + STRIDE) * sizeof(double));
}

/* With `weight`, unless NULL, where the edges have some. */
static struct lists grouped(const struct edge_list *e, struct grouping how, double **weight)
{
    uint64_t entries = 0;
    for (uint32_t c = 0; c < e->count; c++) entries += e->chunks[c].count;
    struct filling f = filling_open(how.size, entries);
#pragma omp parallel for schedule(static, 1) if (f.pieces > 1)
    for (int p = 0; p < f.pieces; p++) count_piece(&f, p, how, e);
    filling_place(&f);
    filling_take(&f);
    double *w = weight && e->weighted ? take_weights(&f) : NULL;
#pragma omp parallel for schedule(static, 1) if (f.pieces > 1)
    for (int p = 0; p < f.pieces; p++) scatter_piece(&f, p, how, e, w);
    if (weight) *weight = w;
    return filling_close(&f);
}

/* Of lists in which pieces have as many entries each: counts those by the list where they go. */
static void count_ends(const struct filling *f, int p, const struct lists *l, uint32_t size)
{
    uint64_t *n = f->cursor[p], end = l->ptr[piece_begins(l->ptr, size, p + 1, f->pieces)];
    for (uint64_t at = l->ptr[piece_begins(l->ptr, size, p, f->pieces)]; at < end; at++) n[l->to[at]]++;
}

/* Every index of a piece goes, in ascending order, to the lists of those in its own. Where it goes is fetched ahead:
   almost every store misses the cache. */
static void hand_out(const struct filling *f, int p, const struct lists *l, uint32_t size, const double *old,
                     double *new)
{
    uint64_t *next = f->cursor[p];
    uint32_t first = piece_begins(l->ptr, size, p, f->pieces), last = piece_begins(l->ptr, size, p + 1, f->pieces);
    uint32_t *into = f->lists.to;
    for (uint32_t v = first; v < last; v++)
        for (uint64_t at = l->ptr[v], end = l->ptr[v + 1]; at < end; at++) {
            uint64_t to = next[l->to[at]]++, soon = next[l->to[at + STRIDE]];
            __builtin_prefetch(&into[soon], 1);
            into[to] = v;
            if (!new) continue;
            __builtin_prefetch(&new[soon], 1);
            new[to] = old[at];
        }
}

/* The same edges by their other end, sorted. Weights, unless NULL, go along to new memory. */
static struct lists turned(const struct lists *l, uint32_t size, uint32_t new_size, double **weight)
{
    struct filling f = filling_open(new_size, l->ptr[size]);
#pragma omp parallel for schedule(static, 1) if (f.pieces > 1)
    for (int p = 0; p < f.pieces; p++) count_ends(&f, p, l, size);
    filling_place(&f);
    filling_take(&f);
    double *old = weight ? *weight : NULL, *new = weight ? take_weights(&f) : NULL;
#pragma omp parallel for schedule(static, 1) if (f.pieces > 1)
    for (int p = 0; p < f.pieces; p++) hand_out(&f, p, l, size, old, new);
    if (weight) *weight = new;
    free(old);
    return filling_close(&f);
}

/* Copies the entries of own lists, `width` bytes each, to where the first piece writes, and moves its cursors on. */
static void put_lower(const struct lists *half, uint32_t own, uint64_t *next, const void *from, void *to, size_t width)
{
#pragma omp parallel for schedule(static) if (team_size() > 1)
    for (uint32_t v = 0; v < own; v++) {
        uint64_t degree = degree_of(half, v);
        memcpy((char *)to + next[v] * width, (const char *)from + half->ptr[v] * width, degree * width);
        next[v] += degree;
    }
}

/* As both_ways does with indices. Weights move to new memory before lists are taken, so that the old ones are gone. */
static double *weights_both_ways(const struct lists *half, const struct graph *g, const struct filling *f, double *old)
{
    double *new = take_weights(f);
    uint64_t *next[f->pieces];
    for (int p = 0; p < f->pieces; p++) {
        next[p] = take(((size_t)g->own + 1) * sizeof **next);
        memcpy(next[p], f->cursor[p], g->own * sizeof **next);
    }
    put_lower(half, g->own, next[0], old, new, sizeof *new);
#pragma omp parallel for schedule(static, 1) if (f->pieces > 1)
    for (int p = 0; p < f->pieces; p++) {
        uint64_t end = half->ptr[piece_begins(half->ptr, g->all, p + 1, f->pieces)];
        for (uint64_t at = half->ptr[piece_begins(half->ptr, g->all, p, f->pieces)]; at < end; at++)
            new[next[p][half->to[at]]++] = old[at];
    }
    for (int p = 0; p < f->pieces; p++) free(next[p]);
    free(old);
    return new;
}

/* Undirected lists of own vertices, sorted, from `half`, where each index has its lower neighbours only, sorted. Each
   gives itself to those in ascending order; so come their higher neighbours, behind the lower ones. Frees `half`;
   weights, unless NULL, move to new memory. */
static struct lists both_ways(struct lists *half, const struct graph *g, double **weight)
{
    uint32_t size = g->net->ranks == 1 ? g->all : g->own; /* on one rank the lists are those of `spread` too */
    struct filling f = filling_open(size, half->ptr[g->all]);
    for (uint32_t v = 0; v < g->own; v++) f.cursor[0][v] = degree_of(half, v);
#pragma omp parallel for schedule(static, 1) if (f.pieces > 1)
    for (int p = 0; p < f.pieces; p++) count_ends(&f, p, half, g->all);
    filling_place(&f);
    if (weight) *weight = weights_both_ways(half, g, &f, *weight);
    filling_take(&f);
    put_lower(half, g->own, f.cursor[0], half->to, f.lists.to, sizeof *half->to);
#pragma omp parallel for schedule(static, 1) if (f.pieces > 1)
    for (int p = 0; p < f.pieces; p++) hand_out(&f, p, half, g->all, NULL, NULL);
    lists_free(half);
    return filling_close(&f);
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

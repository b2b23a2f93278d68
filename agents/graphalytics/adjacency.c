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

/* From numbers to indices, once. */
static void renumber(struct edge_list *e, const uint32_t *index)
{
    for (uint32_t c = 0; c < e->count; c++) {
        struct edge_chunk *k = &e->chunks[c];
        for (uint32_t i = 0; i < k->count; i++) {
            k->tail[i] = index[k->tail[i]];
            k->head[i] = index[k->head[i]];
        }
    }
}

/* Edges grouped by `from`, of which those with own `to` count; `mirror`: also the other way round. */
struct grouping {
    uint32_t size, own; /* indices of `from`; `to` is below own */
    int mirror;
};

static void count_one(struct lists *l, struct grouping how, const uint32_t *from, const uint32_t *to, uint32_t count)
{
    uint64_t *n = l->ptr + 2;
    for (uint32_t i = 0; i < count; i++) {
        if (to[i] < how.own) n[from[i]]++;
        if (how.mirror && from[i] < how.own) n[to[i]]++;
    }
}

static void scatter_one(struct lists *l, struct grouping how, const uint32_t *from, const uint32_t *to, uint32_t count)
{
    uint64_t *next = l->ptr + 1;
    for (uint32_t i = 0; i < count; i++) {
        if (to[i] < how.own) l->to[next[from[i]]++] = to[i];
        if (how.mirror && from[i] < how.own) l->to[next[to[i]]++] = from[i];
    }
}

static void scatter_weighted(struct lists *l, double *weight, struct grouping how, const struct edge_chunk *k)
{
    uint64_t *next = l->ptr + 1;
    for (uint32_t i = 0; i < k->count; i++) {
        uint32_t tail = k->tail[i], head = k->head[i];
        if (head < how.own) {
            weight[next[tail]] = k->weight[i];
            l->to[next[tail]++] = head;
        }
        if (how.mirror && tail < how.own) {
            weight[next[head]] = k->weight[i];
            l->to[next[head]++] = tail;
        }
    }
}

static struct lists by_tail(const struct edge_list *e, struct grouping how, double **weight)
{
    struct lists l = lists_open(how.size);
    for (uint32_t c = 0; c < e->count; c++)
        count_one(&l, how, e->chunks[c].tail, e->chunks[c].head, e->chunks[c].count);
    lists_take(&l, how.size);
    *weight = e->weighted ? take((l.ptr[how.size + 1] + STRIDE) * sizeof **weight) : NULL;
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

/* The same edges by their other end, sorted: every index goes, in ascending order, to the lists of those in its own. */
static struct lists turned(const struct lists *l, uint32_t size, uint32_t new_size)
{
    struct lists t = lists_open(new_size);
    uint64_t count = l->ptr[size], *n = t.ptr + 2, *next = t.ptr + 1;
    for (uint64_t at = 0; at < count; at++) n[l->to[at]]++;
    lists_take(&t, new_size);
    for (uint32_t v = 0; v < size; v++)
        for (uint64_t at = l->ptr[v], end = l->ptr[v + 1]; at < end; at++) t.to[next[l->to[at]]++] = v;
    return t;
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

/* The lists of shortest paths: by tail, with weights. */
static int build_weighted(struct loading *l, struct grouping how)
{
    struct graph *g = l->graph;
    g->spread = by_tail(&l->heads, how, &g->weight);
    edge_list_free(&l->heads);
    struct lists in = turned(&g->spread, g->all, g->own);
    int fine = each_once(l, &in);
    lists_free(&in);
    return fine;
}

int build_adjacency(struct loading *l)
{
    struct graph *g = l->graph;
    int alone = g->net->ranks == 1;
    struct grouping how = {.size = g->all, .own = g->own, .mirror = !g->directed};
    renumber(&l->heads, l->index);
    renumber(&l->tails, l->index);
    if (l->heads.weighted) return build_weighted(l, how);
    g->spread = by_tail(&l->heads, how, &g->weight);
    edge_list_free(&l->heads);
    g->in = turned(&g->spread, g->all, g->own);
    if (!each_once(l, &g->in)) return 0;
    if (!g->directed) {
        g->out = g->in;
        if (alone) {
            lists_free(&g->spread);
            g->spread = g->in;
        }
        return 1;
    }
    if (alone) lists_free(&g->spread);
    struct lists heads = alone ? g->in : by_head(&l->tails, how);
    edge_list_free(&l->tails);
    g->out = turned(&heads, alone ? g->own : g->all, g->own);
    if (alone) g->spread = g->out;
    else lists_free(&heads);
    return 1;
}

/* Each list by merging runs that were sorted by insertion: equal weights stay in the order they came in. */
#include "by-weight.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "team.h"

enum { RUN = 16 };

struct arc {
    double weight;
    uint32_t to;
};

static void sort_run(struct arc *a, uint64_t count)
{
    for (uint64_t k = 1; k < count; k++) {
        struct arc one = a[k];
        uint64_t i = k;
        for (; i > 0 && a[i - 1].weight > one.weight; i--) a[i] = a[i - 1];
        a[i] = one;
    }
}

static void merge(const struct arc *a, uint64_t middle, uint64_t count, struct arc *out)
{
    uint64_t i = 0, k = middle, n = 0;
    while (i < middle && k < count) {
        int second = a[k].weight < a[i].weight;
        out[n++] = a[second ? k : i];
        k += (uint64_t)second;
        i += (uint64_t)!second;
    }
    memcpy(out + n, a + i, (middle - i) * sizeof *a);
    memcpy(out + n + middle - i, a + k, (count - k) * sizeof *a);
}

/* Returns where the sorted ones are: in `a`, or in `room`. */
static struct arc *sort(struct arc *a, struct arc *room, uint64_t count)
{
    for (uint64_t at = 0; at < count; at += RUN) sort_run(a + at, count - at < RUN ? count - at : RUN);
    for (uint64_t length = RUN; length < count; length *= 2) {
        for (uint64_t at = 0; at < count; at += 2 * length) {
            uint64_t here = count - at < 2 * length ? count - at : 2 * length;
            merge(a + at, here < length ? here : length, here, room + at);
        }
        struct arc *sorted = room;
        room = a;
        a = sorted;
    }
    return a;
}

static void sort_list(const struct lists *l, uint32_t v, double *weight, struct arc *room, uint64_t longest)
{
    uint64_t begin = l->ptr[v], count = degree_of(l, v);
    for (uint64_t k = 0; k < count; k++) room[k] = (struct arc){weight[begin + k], l->to[begin + k]};
    const struct arc *sorted = sort(room, room + longest, count);
    for (uint64_t k = 0; k < count; k++) {
        l->to[begin + k] = sorted[k].to;
        weight[begin + k] = sorted[k].weight;
    }
}

void sort_by_weight(const struct lists *l, uint32_t size, double *weight)
{
    uint64_t longest = 0;
    for (uint32_t v = 0; v < size; v++)
        if (degree_of(l, v) > longest) longest = degree_of(l, v);
#pragma omp parallel
    {
        struct arc *room = take((2 * longest + 1) * sizeof *room);
#pragma omp for schedule(dynamic, 64)
        for (uint32_t v = 0; v < size; v++) sort_list(l, v, weight, room, longest);
        free(room);
    }
}

struct lists turn_by_weight(const struct graph *g, uint32_t first, double **weight)
{
    const struct lists *l = &g->spread;
    uint64_t begin = l->ptr[first], end = l->ptr[g->all];
    struct lists t = {take_zero(((size_t)g->own + 2) * sizeof *t.ptr), take((end - begin + 1) * sizeof *t.to)};
    double *w = take((end - begin + 1) * sizeof *w);
    for (uint64_t at = begin; at < end; at++) t.ptr[l->to[at] + 2]++;
    for (uint32_t v = 1; v < g->own; v++) t.ptr[v + 1] += t.ptr[v];
    for (uint32_t u = first; u < g->all; u++)
        for (uint64_t at = l->ptr[u]; at < l->ptr[u + 1]; at++) {
            uint64_t to = t.ptr[l->to[at] + 1]++;
            t.to[to] = u;
            w[to] = g->weight[at];
        }
    sort_by_weight(&t, g->own, w);
    *weight = w;
    return t;
}

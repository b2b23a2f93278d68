/* Two sorted lists are gone through side by side. */
#include "neighbours.h"

/* The next of two ascending lists: an index with its edges, 1 or 2; 0 at their end. */
static inline uint32_t next_of_both(const struct lists *in, const struct lists *out, uint64_t *i, uint64_t i_end,
                                    uint64_t *o, uint64_t o_end, uint32_t *index)
{
    uint32_t a = *i < i_end ? in->to[*i] : NO_INDEX, b = *o < o_end ? out->to[*o] : NO_INDEX;
    *index = a < b ? a : b;
    *i += a <= b;
    *o += b <= a;
    return *index == NO_INDEX ? 0 : 1 + (a == b);
}

/* Undirected, both lists are the same, so every edge counts twice. */
uint32_t neighbours_before(const struct graph *g, const uint64_t *order, uint32_t v, uint32_t *to, uint64_t *kept)
{
    uint64_t i = g->in.ptr[v], i_end = g->in.ptr[v + 1], o = g->out.ptr[v], o_end = g->out.ptr[v + 1];
    uint32_t all = 0, u, edges;
    while ((edges = next_of_both(&g->in, &g->out, &i, i_end, &o, o_end, &u))) {
        to[*kept] = u << 1 | (edges - 1);
        *kept += order[u] < order[v];
        all++;
    }
    return all;
}

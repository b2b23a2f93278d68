/* The local work of a superstep: arcs from column-block vertices to row-block vertices that get nearer, and the ring of
   own vertices that wait to be relaxed in this bucket. What gets nearer and belongs to another rank of the grid row is
   marked for it; what is the rank's own and within the bucket waits. */
#include "relax.h"

void sssp_enqueue(struct sssp *s, uint32_t own)
{
    uint32_t size = s->tree->graph->own, at = s->head + s->waiting;
    if (bit_get(s->is_waiting, own)) return;
    bit_set(s->is_waiting, own);
    s->queue[at < size ? at : at - size] = own;
    s->waiting++;
}

/* Row-block vertex v is nearer by an arc of u. */
static void bring_nearer(struct sssp *s, uint32_t v, float distance, uint32_t u, float end)
{
    const struct graph *g = s->tree->graph;
    uint32_t own = v - own_row(g);
    s->distance[v] = distance;
    s->tree->candidate[v] = u;
    if (own >= g->own) {
        bit_set(s->nearer, v);
        return;
    }
    s->winner[own] = (uint16_t)g->net->col;
    if (distance < end) sssp_enqueue(s, own);
}

void relax_inner(struct sssp *s, uint32_t u, float from, float end)
{
    const struct graph *g = s->tree->graph;
    uint32_t at = g->arc_ptr[u], last = g->arc_ptr[u + 1];
    s->told[u] = from;
    if (!bit_get(s->is_heard, u)) {
        bit_set(s->is_heard, u);
        s->heard[s->heard_count++] = u;
    }
    for (; at < last; at++) {
        float distance = from + arc_weight(g->arcs[at]);
        uint32_t v = arc_head(g->arcs[at]);
        if (!(distance < end)) break;
        if (distance < s->distance[v]) bring_nearer(s, v, distance, u, end);
    }
    s->inner[u] = at;
}

void relax_outer(struct sssp *s)
{
    const struct graph *g = s->tree->graph;
    for (uint32_t k = 0; k < s->heard_count; k++) {
        uint32_t u = s->heard[k];
        float from = s->told[u];
        for (uint32_t at = s->inner[u], last = g->arc_ptr[u + 1]; at < last; at++) {
            float distance = from + arc_weight(g->arcs[at]);
            uint32_t v = arc_head(g->arcs[at]);
            if (distance < s->distance[v]) bring_nearer(s, v, distance, u, 0);
        }
    }
}

void relax_own(struct sssp *s, float end)
{
    const struct graph *g = s->tree->graph;
    while (s->waiting > 0) {
        uint32_t own = s->queue[s->head];
        s->head = s->head + 1 < g->own ? s->head + 1 : 0;
        s->waiting--;
        s->is_waiting[own / 64] &= ~((uint64_t)1 << own % 64);
        bit_set(s->relaxed, own);
        relax_inner(s, own_col(g) + own, s->distance[own_row(g) + own], end);
    }
}

void fill_queue(struct sssp *s, float end)
{
    const struct graph *g = s->tree->graph;
    const float *distance = s->distance + own_row(g), *told = s->told + own_col(g);
    for (uint32_t v = 0; v < g->own; v++)
        if (distance[v] < end && distance[v] < told[v]) sssp_enqueue(s, v);
}

/* What every part of the program asks a graph: ids behind ordinals, the place of an id, where ghosts lie. */
#include "graph.h"

#include <stdlib.h>

#include "memory.h"
#include "shuffle.h"

int graph_block_of(const struct graph *g, uint32_t ordinal)
{
    int low = 0, high = g->net->ranks;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (g->block_start[middle] <= ordinal) low = middle;
        else high = middle;
    }
    return low;
}

void graph_ids_of(const struct graph *g, const uint32_t *ordinals, uint64_t count, uint64_t *ids)
{
    int ranks = g->net->ranks;
    uint64_t counts[ranks], *order = take((count + 1) * sizeof *order);
    uint32_t *block = take((count + 1) * sizeof *block), *ask = take((count + 1) * sizeof *ask);
    uint64_t *answer = take((count + 1) * sizeof *answer);
    for (uint64_t k = 0; k < count; k++) block[k] = (uint32_t)graph_block_of(g, ordinals[k]);
    order_by_rank(block, count, ranks, counts, order);
    for (uint64_t k = 0; k < count; k++) ask[order[k]] = ordinals[k];
    struct shuffled asked = shuffle(g->net, ask, counts, sizeof *ask);
    const uint32_t *wanted = asked.data;
    uint64_t *found = take((asked.total + 1) * sizeof *found);
    for (uint64_t k = 0; k < asked.total; k++) found[k] = g->ids[wanted[k] - g->block_start[g->net->rank]];
    shuffle_back(g->net, &asked, found, counts, answer, sizeof *answer);
    for (uint64_t k = 0; k < count; k++) ids[k] = answer[order[k]];
    free(found);
    shuffled_free(&asked);
    free(answer);
    free(ask);
    free(block);
    free(order);
}

/* The ordinal of an id plus one, from the rank that keeps it; 0 where there is none. */
static uint64_t ordinal_of(const struct graph *g, uint64_t id)
{
    uint64_t first = g->block_start[g->net->rank], low = 0, high = g->block_start[g->net->rank + 1] - first;
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        if (g->ids[middle] < id) low = middle + 1;
        else high = middle;
    }
    int here = low < g->block_start[g->net->rank + 1] - first && g->ids[low] == id;
    uint64_t answer = here ? first + low + 1 : 0;
    net_max(g->net, &answer, 1);
    return answer;
}

int graph_find(const struct graph *g, uint64_t id, int *owner, uint32_t *index)
{
    uint64_t ordinal = ordinal_of(g, id), at = 0;
    if (ordinal == 0) return 0;
    for (uint32_t v = 0; v < g->own; v++)
        if (g->ordinal[v] == ordinal - 1) at = ((uint64_t)g->net->rank << 32 | v) + 1;
    net_max(g->net, &at, 1);
    *owner = (int)((at - 1) >> 32);
    *index = (uint32_t)(at - 1);
    return 1;
}

void graph_place_ghosts(struct graph *g)
{
    g->ghosts_from = whole_words(g->own);
    uint64_t at = g->ghosts_from;
    g->ghost_start = take((size_t)g->net->ranks * sizeof *g->ghost_start);
    for (int r = 0; r < g->net->ranks; r++) {
        g->ghost_start[r] = (uint32_t)at;
        at += whole_words(g->ghost_count[r]);
    }
    if (at >= INT32_MAX) out_of_memory(at * sizeof(double));
    g->all = (uint32_t)at;
}

void graph_free(struct graph *g)
{
    free(g->ghost_start);
    free(g->back.to);
    free(g->back.ptr);
    free(g->out_degree);
    if (g->cached) {
        free(g->cached);
        return;
    }
    if (g->spread.to != g->out.to && g->spread.to != g->in.to) {
        free(g->spread.to);
        free(g->spread.ptr);
    }
    if (g->out.to != g->in.to) {
        free(g->out.to);
        free(g->out.ptr);
    }
    free(g->in.to);
    free(g->in.ptr);
    free(g->weight);
    free(g->own_of);
    free(g->ordinal);
    free(g->ghost_count);
    free(g->copy_start);
    free(g->copy);
    free(g->ids);
    free(g->block_start);
}

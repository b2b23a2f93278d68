/* Kernel 1 for shortest paths: of each column-block vertex its arcs into the row block, the lightest first. Of edges
   between the same two vertices the lightest stays, for no shortest path takes another. */
#include "arcs.h"

#include <stdlib.h>

#include "adjacency.h"
#include "memory.h"

static void count_tails(const uint32_t *tail, const uint32_t *map, uint64_t edges, uint32_t *restrict count)
{
    for (uint64_t e = 0; e < edges; e++) count[map[tail[e]]]++;
}

static void scatter(const uint32_t *tail, const uint32_t *tail_map, const uint32_t *head, const uint32_t *head_map,
                    const struct edge_list *list, uint32_t *restrict next, uint64_t *restrict arcs)
{
    for (uint64_t e = 0; e < list->count; e++)
        arcs[next[tail_map[tail[e]]]++] = arc_of(head_map[head[e]], list->weight[e]);
}

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Sorts every list, and drops what comes again; start[] becomes the final pointer array. */
static uint64_t *sort_lists(uint64_t *arcs, uint32_t *start, uint32_t cols, uint32_t rows)
{
    uint32_t at = 0, *seen = take(((size_t)rows + 1) * sizeof *seen);
    memset(seen, 255, ((size_t)rows + 1) * sizeof *seen); /* by no vertex */
    for (uint32_t u = 0, from = start[0]; u < cols; u++) {
        uint32_t to = start[u + 1];
        qsort(arcs + from, to - from, sizeof *arcs, ascending);
        start[u] = at;
        for (; from < to; from++) {
            if (seen[arc_head(arcs[from])] == u) continue;
            seen[arc_head(arcs[from])] = u;
            arcs[at++] = arcs[from];
        }
    }
    start[cols] = at;
    free(seen);
    uint64_t *fitted = realloc(arcs, ((size_t)at + 1) * sizeof *arcs);
    return fitted ? fitted : arcs;
}

void arcs_build(struct graph *g, const struct numbering *n, const struct edge_list *input,
                const struct edge_list *mirror)
{
    int alone = g->net->ranks == 1;
    uint32_t cols = col_bits(g), *count = take_zero(((size_t)cols + 1) * sizeof *count);
    count_tails(input->col, n->col, input->count, count);
    if (alone) count_tails(input->row, n->row, input->count, count);
    else count_tails(mirror->col, n->col, mirror->count, count);
    uint32_t *start = prefix_sums(count, cols);
    uint64_t *arcs = take(((size_t)start[cols] + 1) * sizeof *arcs);
    memcpy(count, start, (size_t)cols * sizeof *count);
    scatter(input->col, n->col, input->row, n->row, input, count, arcs);
    if (alone) scatter(input->row, n->row, input->col, n->col, input, count, arcs);
    else scatter(mirror->col, n->col, mirror->row, n->row, mirror, count, arcs);
    free(count);
    g->arcs = sort_lists(arcs, start, cols, row_bits(g));
    g->arc_ptr = start;
}

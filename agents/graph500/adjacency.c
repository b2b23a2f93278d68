/* Kernel 1's core: compressed lists of neighbours from edge lists, by counting sorts alone.

   The list of v is lists[ptr[v]] up to lists[ptr[v + 1]], 32-bit numbers of the other block, ordered best first: by
   falling degree. That order costs no comparison: vertices are handed out to the lists of their neighbours best first,
   so a list grows in order, and an edge that comes again meets itself at the list's end and is dropped.
   On one rank each input edge stands first under its better end only, and the symmetric lists follow from those in
   two passes. On a grid by_col keeps repeats, and by_row is handed out from it, the best vertex of every piece of the
   column block first, then the second best of every piece. Behind every array of neighbours is room for 16 more: loops
   over lists may read a whole stride.

   Source: Graph500 specification 2.0, section 4, leaves the structure open; this is compressed sparse rows. */
#include "adjacency.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

uint32_t *prefix_sums(const uint32_t *count, uint32_t size)
{
    uint64_t sum = 0;
    uint32_t *start = take(((size_t)size + 1) * sizeof *start);
    for (uint32_t v = 0; v < size; v++) {
        start[v] = (uint32_t)sum;
        sum += count[v];
    }
    if (sum > UINT32_MAX) out_of_memory(sum * sizeof(uint32_t));
    start[size] = (uint32_t)sum;
    return start;
}

static uint32_t *copy_of(const uint32_t *from, uint32_t size)
{
    uint32_t *copy = take(((size_t)size + 1) * sizeof *copy);
    return memcpy(copy, from, (size_t)size * sizeof *copy);
}

static void renumber(struct edge_list *list, const uint32_t *restrict col_map, const uint32_t *restrict row_map)
{
    for (uint64_t e = 0; e < list->count; e++) {
        list->col[e] = col_map[list->col[e]];
        list->row[e] = row_map[list->row[e]];
    }
}

static void scatter_by_col(const struct edge_list *list, uint32_t *restrict next, uint32_t *restrict by_col)
{
    for (uint64_t e = 0; e < list->count; e++) by_col[next[list->col[e]]++] = list->row[e];
}

/* Each edge once, under its better end; scatter writes then stay near the hubs and in the cache. */
static uint32_t *renumber_and_count_better(struct edge_list *list, const uint32_t *restrict map, uint32_t size)
{
    uint32_t *restrict count = take_zero(((size_t)size + 1) * sizeof *count);
    for (uint64_t e = 0; e < list->count; e++) {
        uint32_t u = map[list->col[e]], v = map[list->row[e]];
        list->col[e] = u < v ? u : v;
        list->row[e] = u < v ? v : u;
        count[list->col[e]]++;
    }
    return count;
}

/* Appends u to the list of each of its neighbours. Callers come with the u of highest degree first,
   so every list ends up sorted best first, and a repeated edge meets itself at the list's end. */
static inline void hand_out(uint32_t u, const uint32_t *from, const uint32_t *to, const uint32_t *restrict start,
                            uint32_t *restrict next, uint32_t *restrict out)
{
    for (; from < to; from++) {
        uint32_t v = *from, at = next[v];
        if (at > start[v] && out[at - 1] == u) continue;
        out[at] = u;
        next[v] = at + 1;
    }
}

/* Closes the gaps that dropped repeats left; start[] becomes the final pointer array. */
static uint32_t *close_gaps(uint32_t *start, const uint32_t *end, uint32_t size, uint32_t *lists)
{
    uint32_t at = 0;
    for (uint32_t v = 0; v < size; v++) {
        uint32_t from = start[v], n = end[v] - from;
        start[v] = at;
        if (at != from) memmove(lists + at, lists + from, (size_t)n * sizeof *lists);
        at += n;
    }
    start[size] = at;
    uint32_t *fitted = realloc(lists, ((size_t)at + 16) * sizeof *lists);
    return fitted ? fitted : lists;
}

/* A symmetric graph in two passes: first every vertex learns its better neighbours, best first; then,
   going down, every vertex enters itself with those, behind their own better neighbours. */
void adjacency_alone(struct graph *g, const uint32_t *map, struct edge_list *input)
{
    uint32_t n = row_bits(g);
    uint32_t *count = renumber_and_count_better(input, map, n);
    uint32_t *half_start = prefix_sums(count, n), *next = copy_of(half_start, n);
    uint32_t *half = take(((size_t)half_start[n] + 16) * sizeof *half);
    scatter_by_col(input, next, half);
    free(count);
    edges_free(input);

    uint32_t *start = prefix_sums(g->row_degree, n);
    uint32_t *sorted = take(((size_t)start[n] + 16) * sizeof *sorted);
    memcpy(next, start, (size_t)n * sizeof *next);
    for (uint32_t u = 0; u < n; u++) hand_out(u, half + half_start[u], half + half_start[u + 1], start, next, sorted);
    for (uint32_t v = 0; v < n; v++)
        for (uint32_t at = start[v], end = next[v]; at < end; at++) sorted[next[sorted[at]]++] = v;

    g->by_row = close_gaps(start, next, n, sorted);
    g->by_row_ptr = start;
    g->by_col = g->by_row;
    g->by_col_ptr = g->by_row_ptr;
    free(half_start);
    free(half);
    free(next);
}

/* Column-block vertices with the best of every piece first, then the second best of every piece ... */
static void hand_out_by_rank(const struct graph *g, const uint32_t *col_start, const uint32_t *by_col,
                             const uint32_t *start, uint32_t *next, uint32_t *out)
{
    int q = g->net->side;
    uint32_t longest = 0;
    for (int p = 0; p < q; p++) {
        uint32_t size = g->col_start[p + 1] - g->col_start[p];
        if (size > longest) longest = size;
    }
    for (uint32_t local = 0; local < longest; local++)
        for (int p = 0; p < q; p++) {
            uint32_t u = g->col_start[p] + local;
            if (u < g->col_start[p + 1])
                hand_out(u, by_col + col_start[u], by_col + col_start[u + 1], start, next, out);
        }
}

static void group_by_col(struct edge_list *input, struct edge_list *mirror, const uint32_t *start, uint32_t cols,
                         uint32_t *by_col)
{
    uint32_t *next = copy_of(start, cols);
    scatter_by_col(input, next, by_col);
    scatter_by_col(mirror, next, by_col);
    free(next);
    edges_free(input);
    edges_free(mirror);
}

void adjacency_on_grid(struct graph *g, const struct numbering *n, struct edge_list *input, struct edge_list *mirror,
                       const uint32_t *col_degree)
{
    uint32_t cols = col_bits(g), rows = row_bits(g);
    renumber(input, n->col, n->row);
    renumber(mirror, n->col, n->row);
    uint32_t *col_start = prefix_sums(col_degree, cols);
    size_t bytes = ((size_t)col_start[cols] + 16) * sizeof(uint32_t);
    uint32_t *by_col = take(bytes);
    group_by_col(input, mirror, col_start, cols, by_col);

    uint32_t *row_start = prefix_sums(g->row_degree, rows), *row_next = copy_of(row_start, rows);
    uint32_t *sorted = take(bytes);
    hand_out_by_rank(g, col_start, by_col, row_start, row_next, sorted);
    g->by_row = close_gaps(row_start, row_next, rows, sorted);
    g->by_row_ptr = row_start;
    free(row_next);
    g->by_col = by_col;
    g->by_col_ptr = col_start;
}

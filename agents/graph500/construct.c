/* Kernel 1 (Graph500 specification 3.0, section 4): counts edge ends, numbers vertices by degree, builds the lists of
   neighbours, chooses search keys. Edge lists are freed as soon as the lists hold them, for that is the peak of memory
   (capacity.c). */
#include "construct.h"

#include <stdlib.h>

#include "adjacency.h"
#include "arcs.h"
#include "degrees.h"
#include "memory.h"
#include "relabel.h"
#include "search-keys.h"

/* Edge ends per vertex, first numbering. */
static void count_ends(const struct edge_list *list, uint32_t *restrict by_col, uint32_t *restrict by_row)
{
    for (uint64_t e = 0; e < list->count; e++) {
        by_col[list->col[e]]++;
        by_row[list->row[e]]++;
    }
}

static void count_both_ends(const struct edge_list *list, uint32_t *ends)
{
    for (uint64_t e = 0; e < list->count; e++) {
        ends[list->col[e]]++;
        ends[list->row[e]]++;
    }
}

static uint32_t *renumbered(const uint32_t *counts, const uint32_t *map, uint64_t size, uint32_t new_size)
{
    uint32_t *out = take_zero(((size_t)new_size + 1) * sizeof *out);
    for (uint64_t v = 0; v < size; v++)
        if (map[v] != NO_VERTEX) out[map[v]] = counts[v];
    return out;
}

static struct numbering construct_alone(struct graph *g, const struct layout *l, struct edge_list *input)
{
    uint64_t n = layout_row_size(l);
    uint32_t *ends = take_zero(n * sizeof *ends);
    count_both_ends(input, ends);
    struct numbering numbering = number_by_degree(g, l, ends);
    g->row_degree = renumbered(ends, numbering.row, n, row_bits(g));
    g->own_degree = g->row_degree;
    free(ends);
    if (g->kernels & KERNEL_SSSP) arcs_build(g, &numbering, input, NULL);
    if (g->kernels & KERNEL_BFS) adjacency_alone(g, numbering.row, input);
    return numbering;
}

static struct numbering construct_on_grid(struct graph *g, const struct layout *l, struct edge_list *input,
                                          struct edge_list *mirror)
{
    uint64_t rows = layout_row_size(l), cols = layout_col_size(l);
    uint32_t *row_ends = take_zero(rows * sizeof *row_ends);
    uint32_t *col_ends = take_zero(cols * sizeof *col_ends);
    count_ends(input, col_ends, row_ends);
    count_ends(mirror, col_ends, row_ends);
    struct numbering numbering = number_by_degree(g, l, row_ends);
    g->row_degree = renumbered(row_ends, numbering.row, rows, row_bits(g));
    uint32_t *col_degree = renumbered(col_ends, numbering.col, cols, col_bits(g));
    free(row_ends);
    free(col_ends);
    if (g->kernels & KERNEL_SSSP) arcs_build(g, &numbering, input, mirror);
    if (g->kernels & KERNEL_BFS) adjacency_on_grid(g, &numbering, input, mirror, col_degree);
    free(col_degree);
    return numbering;
}

/* A self-loop has two ends, like any edge. */
static void count_loops(struct graph *g, const struct numbering *n, struct edge_list *loops)
{
    for (uint64_t e = 0; e < loops->count; e++)
        if (n->row[loops->row[e]] != NO_VERTEX) g->row_degree[n->row[loops->row[e]]] += 2;
    edges_free(loops);
}

static uint32_t *names(const struct graph *g, const uint32_t *col_map)
{
    const struct layout *l = &g->layout;
    struct naming naming = layout_naming(l, g->net->col);
    uint32_t *name = take_zero(((size_t)col_bits(g) + 1) * sizeof *name);
    for (uint64_t a = 0; a < (uint64_t)1 << (l->scale - l->lower_bits); a++)
        for (uint64_t b = 0; b < l->col.count; b++, col_map++)
            if (*col_map != NO_VERTEX) name[*col_map] = name_of(naming, a, l->col.first + b);
    return name;
}

void construct(struct graph *g, struct edge_picks *edges, uint32_t keys)
{
    const struct layout *l = &g->layout;
    struct numbering n = g->net->ranks == 1 ? construct_alone(g, l, &edges->input)
                                            : construct_on_grid(g, l, &edges->input, &edges->mirror);
    edges_free(&edges->input);
    edges_free(&edges->mirror);
    count_loops(g, &n, &edges->loops);
    g->name = names(g, n.col);
    choose_search_keys(g, l, &n, keys);
    numbering_free(&n);
    graph_derive(g);
}

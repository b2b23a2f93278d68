/* Where the pieces lie in the blocks, and what follows from the arrays of a graph, whether built or mapped. */
#include "graph.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "memory.h"

static uint32_t whole_words(uint32_t bits) { return words_for(bits) * 64; }

uint32_t graph_col_start(const struct graph *g, int col, int row)
{
    uint32_t start = 0;
    for (int i = 0; i < row; i++) start += whole_words(g->own_of[i * g->net->side + col]);
    return start;
}

uint32_t graph_row_start(const struct graph *g, int row, int col)
{
    uint32_t start = 0;
    for (int j = 0; j < col; j++) start += whole_words(g->own_of[row * g->net->side + j]);
    return start;
}

void graph_place_pieces(struct graph *g)
{
    int q = g->net->side;
    g->own = g->own_of[g->net->rank];
    g->row_start = take(((size_t)q + 1) * sizeof *g->row_start);
    g->col_start = take(((size_t)q + 1) * sizeof *g->col_start);
    for (int p = 0; p <= q; p++) {
        g->row_start[p] = graph_row_start(g, g->net->row, p);
        g->col_start[p] = graph_col_start(g, g->net->col, p);
    }
    g->vertices_left = 0;
    for (int r = 0; r < g->net->ranks; r++) g->vertices_left += g->own_of[r];
}

static void place_alone(struct graph *g)
{
    uint64_t labels = layout_own_size(&g->layout);
    g->position = g->name;
    if (!g->best) g->best = take((size_t)labels * sizeof *g->best);
    for (uint64_t label = 0; label < labels; label++) g->best[label] = -1;
    for (uint32_t v = 0; g->by_row && v < g->own; v++)
        g->best[g->name[v]] = (int32_t)g->name[g->by_row[g->by_row_ptr[v]]];
}

void graph_place_results(struct graph *g)
{
    const struct layout *l = &g->layout;
    if (g->net->ranks == 1) {
        place_alone(g);
        return;
    }
    struct naming n = layout_naming(l, g->net->col);
    const uint32_t *name = g->name + g->col_start[g->net->row];
    if (!g->position) g->position = take(((size_t)g->own + 1) * sizeof *g->position);
    for (uint32_t v = 0; v < g->own; v++) g->position[v] = (uint32_t)own_index(l, label_of(l, n, name[v]));
}

void graph_derive(struct graph *g)
{
    uint32_t rows = row_bits(g);
    g->row_nonempty = take_zero(words_for(rows) * sizeof(uint64_t));
    for (uint32_t v = 0; g->by_row && v < rows; v++)
        if (g->by_row_ptr[v + 1] > g->by_row_ptr[v]) bit_set(g->row_nonempty, v);
    graph_place_results(g);
    g->ends_left = 0;
    for (uint32_t v = 0; v < g->own; v++) g->ends_left += g->own_degree[v];
    net_sum(g->net, &g->ends_left, 1);
}

static void free_arrays(struct graph *g)
{
    if (g->net->ranks > 1) {
        free(g->by_col);
        free(g->by_col_ptr);
        free(g->own_degree);
    }
    free(g->name);
    free(g->by_row);
    free(g->by_row_ptr);
    free(g->arc_ptr);
    free(g->arcs);
    free(g->row_degree);
    free(g->own_of);
    free(g->keys);
}

void graph_free(struct graph *g)
{
    if (g->mapping) munmap(g->mapping, g->mapping_bytes);
    else free_arrays(g);
    if (g->net->ranks > 1) free(g->position);
    free(g->best);
    free(g->row_nonempty);
    free(g->row_start);
    free(g->col_start);
}

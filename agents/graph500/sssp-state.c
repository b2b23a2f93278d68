/* What a search of shortest paths stands on: its arrays, how it begins, and the result that it leaves. */
#include "sssp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "parents.h"
#include "pieces.h"
#include "relax.h"
#include "set-values.h"

static void open_messages(struct sssp *s, const struct graph *g)
{
    size_t q = (size_t)g->net->side, own = set_values_room(words_for(g->own));
    s->row_in = take_zero(q * sizeof *s->row_in);
    s->row_out = take_zero(q * sizeof *s->row_out);
    s->col_in = take_zero(q * sizeof *s->col_in);
    s->col_out.data = take(own);
    for (int p = 0; p < (int)q; p++) {
        size_t row = set_values_room(sssp_words(g->row_start, p));
        s->row_in[p].data = take(row > own ? row : own);
        s->row_out[p].data = take(row);
        s->col_in[p].data = take(set_values_room(sssp_words(g->col_start, p)));
    }
}

/* A mean weight over the mean degree; between ranks twice that, for each bucket costs messages. */
static float choose_delta(const struct graph *g)
{
    double degree = g->vertices_left > 0 ? (double)g->ends_left / (double)g->vertices_left : 1;
    double width = (g->net->ranks > 1 ? 1 : 0.5) / degree;
    return (float)(width < 1 ? width : 1);
}

void sssp_open(struct sssp *s, struct bfs *tree, double delta)
{
    const struct graph *g = tree->graph;
    size_t rows = (size_t)row_bits(g) + 64, cols = (size_t)col_bits(g) + 64, own = (size_t)g->own + 64;
    size_t labels = (size_t)layout_own_size(&g->layout);
    *s = (struct sssp){.tree = tree, .delta = delta > 0 ? (float)delta : choose_delta(g)};
    s->distance = take(rows * sizeof *s->distance);
    s->told = take(cols * sizeof *s->told);
    s->inner = take(cols * sizeof *s->inner);
    s->nearer = take_zero(rows / 8 + 8);
    s->winner = take(own * sizeof *s->winner);
    s->queue = take(own * sizeof *s->queue);
    s->is_waiting = take_zero(own / 8 + 8);
    s->relaxed = take_zero(own / 8 + 8);
    s->heard = take(cols * sizeof *s->heard);
    s->is_heard = take_zero(cols / 8 + 8);
    s->set = take((rows > cols ? rows : cols) / 8 + 8);
    s->result = take((labels + 1) * sizeof *s->result);
    for (size_t i = 0; i < labels; i++) s->result[i] = INFINITY; /* those without edges stay so */
    if (g->net->ranks > 1) open_messages(s, g);
}

void sssp_plant(struct sssp *s, struct search_key key)
{
    const struct graph *g = s->tree->graph;
    uint32_t rows = row_bits(g), cols = col_bits(g);
    for (uint32_t v = 0; v < rows; v++) s->distance[v] = INFINITY;
    for (uint32_t u = 0; u < cols; u++) s->told[u] = INFINITY;
    s->distance[rows] = -INFINITY; /* no vertex: nothing brings it nearer */
    s->supersteps = s->level = 0;
    if ((int)key.owner != g->net->rank) return;
    s->distance[own_row(g) + key.local] = 0;
    s->winner[key.local] = (uint16_t)g->net->col;
}

void sssp_leave(struct sssp *s, struct search_key key)
{
    struct bfs *b = s->tree;
    const struct graph *g = b->graph;
    uint64_t *visited = b->visited + own_row(g) / 64;
    uint32_t words = words_for(g->own);
    memset(b->visited, 0, words_for(row_bits(g)) * 8);
    for (int p = 0; p < g->net->side && g->net->side > 1; p++) memset(b->won[p], 0, words * 8);
    for (uint32_t v = 0; v < g->own; v++) {
        float distance = s->distance[own_row(g) + v];
        s->result[g->position[v]] = distance;
        if (!(distance < INFINITY)) continue;
        bit_set(visited, v);
        if (s->winner[v] != g->net->col) bit_set(b->won[s->winner[v]], v);
    }
    memcpy(b->other, b->visited, words_for(row_bits(g)) * 8);
    settle_parents(b, key);
}

void sssp_share_reached(struct sssp *s)
{
    struct bfs *b = s->tree;
    const struct graph *g = b->graph;
    int q = g->net->side;
    struct message out[q], mine;
    if (q == 1) return;
    mine = piece_encode(b->visited + own_row(g) / 64, words_for(g->own), 0, s->col_out.data);
    for (int p = 0; p < q; p++) {
        out[p] = mine;
        b->row_in[p].bytes = piece_room(sssp_words(g->row_start, p));
    }
    net_exchange(g->net, ALONG_ROW, out, b->row_in);
    for (int p = 0; p < q; p++)
        if (p != g->net->col)
            piece_decode(b->row_in[p], b->visited + g->row_start[p] / 64, sssp_words(g->row_start, p));
}

void sssp_close(struct sssp *s)
{
    for (int p = 0; s->row_in && p < s->tree->graph->net->side; p++) {
        free(s->row_in[p].data);
        free(s->row_out[p].data);
        free(s->col_in[p].data);
    }
    free(s->row_in);
    free(s->row_out);
    free(s->col_in);
    free(s->col_out.data);
    free(s->distance);
    free(s->told);
    free(s->inner);
    free(s->nearer);
    free(s->winner);
    free(s->queue);
    free(s->is_waiting);
    free(s->relaxed);
    free(s->heard);
    free(s->is_heard);
    free(s->set);
    free(s->result);
}

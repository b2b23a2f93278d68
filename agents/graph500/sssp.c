/* Kernel 3: delta-stepping on a q x q grid of ranks, with the blocks, pieces and messages of kernel 2 (bfs.c).

   Own vertices are relaxed by buckets of distances. While the bucket has any, a superstep relaxes the inner arcs, those
   that end within the bucket, in four phases. Compute: an owner relaxes its vertices in its own block until none is left
   below the bucket's end, however often they get nearer. Expand: the grid column hears of these, and relaxes its arcs of
   them. Fold: what got nearer goes along the grid row to its owners. Synchronise: a sum tells whether anything is left.
   Then distances of the bucket are final, and one superstep without an expand relaxes the outer arcs of all that was
   heard. Arcs stand by weight, so inner arcs are a prefix of each list. The next bucket begins at the least distance
   that waits anywhere. Once most vertices are settled, one bucket takes all others: few are left, over a wide range.

   A distance is the least sum along a path in single precision, rounded after each step. That is the same for every
   order, so it depends on neither ranks nor buckets. A parent stays where it was found until the end (parents.c).

   Sources: U. Meyer, P. Sanders, "Delta-stepping: a parallelizable shortest path algorithm", J. Algorithms 49 (2003).
   Inner and outer arcs, and one last bucket: V. Chakaravarthy, F. Checconi, P. Murali, F. Petrini, Y. Sabharwal, "Scalable
   single source shortest path algorithms for massively parallel systems", IEEE TPDS 28 (2017). */
#include "sssp.h"

#include <math.h>
#include <stdlib.h>

#include "memory.h"
#include "parents.h"
#include "phases.h"
#include "pieces.h"
#include "relax.h"
#include "set-values.h"

/* A bucket is as wide as SHARE steps to the nearest neighbour; between ranks wider, for each costs messages. Both, and
   from how many settled vertices in a thousand on the rest is one bucket, found by measuring scales 14 to 20. */
enum { SHARE_ALONE = 2, SHARE_ON_GRID = 6, MOST = 600 };

static uint32_t piece_words(const uint32_t *start, int p) { return (start[p + 1] - start[p]) / 64; }

static void open_messages(struct sssp *s, const struct graph *g)
{
    size_t q = (size_t)g->net->side, own = set_values_room(words_for(g->own));
    s->row_in = take_zero(q * sizeof *s->row_in);
    s->row_out = take_zero(q * sizeof *s->row_out);
    s->col_in = take_zero(q * sizeof *s->col_in);
    s->col_out.data = take(own);
    for (int p = 0; p < (int)q; p++) {
        s->row_in[p].data = take(own);
        s->row_out[p].data = take(set_values_room(piece_words(g->row_start, p)));
        s->col_in[p].data = take(set_values_room(piece_words(g->col_start, p)));
    }
}

static float choose_delta(const struct graph *g)
{
    double degree = g->vertices_left > 0 ? (double)g->ends_left / (double)g->vertices_left : 1;
    double width = (g->net->ranks > 1 ? SHARE_ON_GRID : SHARE_ALONE) / degree;
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

static void expand(struct sssp *s)
{
    const struct graph *g = s->tree->graph;
    int q = g->net->side;
    struct message out[q];
    if (q == 1) return;
    set_values_encode(s->relaxed, words_for(g->own), s->told + own_col(g), &s->col_out);
    memset(s->relaxed, 0, words_for(g->own) * 8);
    for (int p = 0; p < q; p++) {
        out[p] = s->col_out;
        s->col_in[p].bytes = (int)set_values_room(piece_words(g->col_start, p));
    }
    net_exchange(g->net, ALONG_COLUMN, out, s->col_in);
}

static void relax_heard(struct sssp *s, float end)
{
    const struct graph *g = s->tree->graph;
    for (int p = 0; p < g->net->side; p++) {
        uint32_t words = piece_words(g->col_start, p);
        if (p == g->net->row || s->col_in[p].bytes == 0) continue;
        const uint8_t *values = set_values_decode(s->col_in[p], s->set, words);
        for (uint32_t w = 0; w < words; w++)
            for (uint64_t left = s->set[w]; left; left &= left - 1, values += sizeof(float)) {
                float from;
                memcpy(&from, values, sizeof from);
                relax_inner(s, g->col_start[p] + w * 64 + (uint32_t)__builtin_ctzll(left), from, end);
            }
    }
}

/* Of several columns that found one distance the first to tell it wins, and the own one before all. */
static void merge(struct sssp *s, int from, float end)
{
    const struct graph *g = s->tree->graph;
    uint32_t words = words_for(g->own);
    if (s->row_in[from].bytes == 0) return;
    const uint8_t *values = set_values_decode(s->row_in[from], s->set, words);
    for (uint32_t w = 0; w < words; w++)
        for (uint64_t left = s->set[w]; left; left &= left - 1, values += sizeof(float)) {
            uint32_t own = w * 64 + (uint32_t)__builtin_ctzll(left);
            float distance;
            memcpy(&distance, values, sizeof distance);
            if (!(distance < s->distance[own_row(g) + own])) continue;
            s->distance[own_row(g) + own] = distance;
            s->winner[own] = (uint16_t)from;
            if (distance < end) sssp_enqueue(s, own);
        }
}

static void fold(struct sssp *s, float end)
{
    const struct graph *g = s->tree->graph;
    int q = g->net->side;
    for (int p = 0; p < q; p++) {
        uint32_t start = g->row_start[p], words = piece_words(g->row_start, p);
        if (p == g->net->col) continue;
        set_values_encode(s->nearer + start / 64, words, s->distance + start, &s->row_out[p]);
        memset(s->nearer + start / 64, 0, (size_t)words * 8);
        s->row_in[p].bytes = (int)set_values_room(words_for(g->own));
    }
    net_exchange(g->net, ALONG_ROW, s->row_out, s->row_in);
    for (int step = 1; step < q; step++) merge(s, (g->net->col + step) % q, end);
}

/* Ends a phase that is the last of its level. */
static struct mark end_level(struct sssp *s, struct mark m, enum phase phase)
{
    m = trace_end(s->tree->trace, m, phase);
    trace_set(s->tree->trace, LEVEL, ++s->level);
    s->supersteps += phase == SYNCHRONISE;
    return m;
}

/* Relaxes all arcs of the bucket up to `end`. */
static struct mark run_bucket(struct sssp *s, float end, struct mark m)
{
    const struct graph *g = s->tree->graph;
    struct trace *t = s->tree->trace;
    fill_queue(s, end);
    for (uint64_t left = 1; left > 0; m = end_level(s, m, SYNCHRONISE)) {
        relax_own(s, end);
        m = end_level(s, m, COMPUTE);
        expand(s);
        m = trace_end(t, m, EXPAND);
        relax_heard(s, end);
        m = trace_end(t, m, COMPUTE);
        fold(s, end);
        m = trace_end(t, m, FOLD);
        left = s->waiting;
        net_sum(g->net, &left, 1);
    }
    if (isfinite(end)) {
        relax_outer(s);
        m = trace_end(t, m, COMPUTE);
        fold(s, 0);
        m = trace_end(t, m, FOLD);
    }
    for (uint32_t k = 0; k < s->heard_count; k++) s->is_heard[s->heard[k] / 64] = 0;
    s->heard_count = 0;
    return m;
}

/* The least distance that waits anywhere, and of how many in a thousand it is known where most are; distances are not
   below 0, so their bits are in their order. */
static float least_waiting(struct sssp *s, uint64_t *settled)
{
    const struct graph *g = s->tree->graph;
    const float *distance = s->distance + own_row(g), *told = s->told + own_col(g);
    float least = INFINITY;
    uint32_t bits, known = 0;
    for (uint32_t v = 0; v < g->own; v++) {
        known += told[v] < INFINITY;
        if (distance[v] < told[v] && distance[v] < least) least = distance[v];
    }
    memcpy(&bits, &least, sizeof bits);
    uint64_t most[2] = {~(uint64_t)bits, g->own > 0 ? (uint64_t)known * 1000 / g->own : 0};
    net_max(g->net, most, 2);
    bits = (uint32_t)~most[0];
    memcpy(&least, &bits, sizeof least);
    *settled = most[1];
    return least;
}

static void plant_source(struct sssp *s, struct search_key key)
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

/* Hands what is reached, and who has the parent, to what brings the parents home; and the distances to their labels. */
static void leave_result(struct sssp *s, struct search_key key)
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

void sssp_run(struct sssp *s, struct search_key key)
{
    struct trace *t = s->tree->trace;
    struct mark m = trace_begin(t);
    uint64_t settled = 0;
    trace_set(t, LEVEL, 0);
    plant_source(s, key);
    for (float least = 0; isfinite(least);) {
        float end = settled < MOST ? least + s->delta : INFINITY;
        m = run_bucket(s, end > least ? end : nextafterf(least, INFINITY), m);
        least = isfinite(end) ? least_waiting(s, &settled) : INFINITY;
        if (isfinite(end)) m = end_level(s, m, SYNCHRONISE);
    }
    leave_result(s, key);
    trace_end(t, m, FOLD);
    trace_clear(t, LEVEL);
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
        b->row_in[p].bytes = piece_room(piece_words(g->row_start, p));
    }
    net_exchange(g->net, ALONG_ROW, out, b->row_in);
    for (int p = 0; p < q; p++)
        if (p != g->net->col)
            piece_decode(b->row_in[p], b->visited + g->row_start[p] / 64, piece_words(g->row_start, p));
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

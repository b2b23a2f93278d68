/* Kernel 3: delta-stepping on a q x q grid of ranks, with the blocks, pieces and messages of kernel 2 (bfs.c).

   Own vertices are relaxed by buckets of distances. While the bucket has any, a superstep relaxes the inner arcs, those
   that end within the bucket, in four phases. Compute: an owner relaxes its vertices in its own block until none is
   left below the bucket's end, however often they get nearer. Expand: the grid column hears of these, and relaxes its
   arcs of them. Fold: what got nearer goes along the grid row to its owners. Synchronise: a sum tells whether anything
   is left. Then distances of the bucket are final: one superstep tells the grid row of which vertices, and relaxes the
   outer arcs of all that was heard. Arcs stand by weight, so inner arcs are a prefix of each list. The next bucket
   begins at the least distance that waits anywhere. Once the hubs are settled one bucket takes all others: few of these
   get nearer twice.

   A distance is the least sum along a path in single precision, rounded after each step. That is the same for every
   order, so it depends on neither ranks nor buckets. A parent stays where it was found until the end (parents.c).

   Sources: U. Meyer, P. Sanders, "Delta-stepping: a parallelizable shortest path algorithm", J. Algorithms 49 (2003).
   Inner and outer arcs, and one last bucket: V. Chakaravarthy, F. Checconi, P. Murali, F. Petrini, Y. Sabharwal,
   "Scalable single source shortest path algorithms for massively parallel systems", IEEE TPDS 28 (2017). */
#include "sssp.h"

#include <math.h>
#include <string.h>

#include "phases.h"
#include "pieces.h"
#include "relax.h"
#include "set-values.h"

/* From so many relaxed vertices in a thousand on the rest is one bucket: those are the hubs, which the paths go by.
   Found by measuring scales 16 and 18. */
enum { HUBS = 60 };

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
        s->col_in[p].bytes = set_values_room(sssp_words(g->col_start, p));
    }
    net_exchange(g->net, ALONG_COLUMN, out, s->col_in);
}

static void relax_heard(struct sssp *s, float end)
{
    const struct graph *g = s->tree->graph;
    for (int p = 0; p < g->net->side; p++) {
        uint32_t words = sssp_words(g->col_start, p);
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
        uint32_t start = g->row_start[p], words = sssp_words(g->row_start, p);
        if (p == g->net->col) continue;
        set_values_encode(s->nearer + start / 64, words, s->distance + start, &s->row_out[p]);
        memset(s->nearer + start / 64, 0, (size_t)words * 8);
        s->row_in[p].bytes = set_values_room(words_for(g->own));
    }
    net_exchange(g->net, ALONG_ROW, s->row_out, s->row_in);
    for (int step = 1; step < q; step++) merge(s, (g->net->col + step) % q, end);
}

/* The grid row hears which vertices have their distance, so that nobody brings them nearer in vain. */
static void settle(struct sssp *s)
{
    const struct graph *g = s->tree->graph;
    int q = g->net->side;
    struct message out[q];
    if (q == 1) return;
    out[0] = piece_encode(s->is_heard + own_col(g) / 64, words_for(g->own), 0, s->col_out.data);
    for (int p = 1; p < q; p++) out[p] = out[0];
    for (int p = 0; p < q; p++) s->row_in[p].bytes = piece_room(sssp_words(g->row_start, p));
    net_exchange(g->net, ALONG_ROW, out, s->row_in);
    for (int p = 0; p < q; p++) {
        float *distance = s->distance + g->row_start[p];
        if (p == g->net->col) continue;
        piece_decode(s->row_in[p], s->set, sssp_words(g->row_start, p));
        for (uint32_t w = 0; w < sssp_words(g->row_start, p); w++)
            for (uint64_t left = s->set[w]; left; left &= left - 1)
                distance[w * 64 + (uint32_t)__builtin_ctzll(left)] = -INFINITY;
    }
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
        settle(s);
        m = trace_end(t, m, EXPAND);
        relax_outer(s);
        m = trace_end(t, m, COMPUTE);
        fold(s, 0);
        m = trace_end(t, m, FOLD);
    }
    for (uint32_t k = 0; k < s->heard_count; k++) s->is_heard[s->heard[k] / 64] = 0;
    s->heard_count = 0;
    return m;
}

/* The least distance that waits anywhere, and how many vertices in a thousand are relaxed where most are; distances are
   not below 0, so their bits are in their order. */
static float least_waiting(struct sssp *s, uint64_t *relaxed)
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
    *relaxed = most[1];
    return least;
}

void sssp_run(struct sssp *s, struct search_key key)
{
    struct trace *t = s->tree->trace;
    struct mark m = trace_begin(t);
    uint64_t relaxed = 0;
    trace_set(t, LEVEL, 0);
    sssp_plant(s, key);
    for (float least = 0; isfinite(least);) {
        float end = relaxed < HUBS ? least + s->delta : INFINITY;
        m = run_bucket(s, end > least ? end : nextafterf(least, INFINITY), m);
        least = isfinite(end) ? least_waiting(s, &relaxed) : INFINITY;
        if (isfinite(end)) m = end_level(s, m, SYNCHRONISE);
    }
    sssp_leave(s, key);
    trace_end(t, m, FOLD);
    trace_clear(t, LEVEL);
}

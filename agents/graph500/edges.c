/* Of all edges those in this rank's block of the adjacency matrix, in 32-bit block numbers.

   Every block of EDGE_BLOCK edges from the generator passes a sieve: two flags an edge, whether it belongs here as it
   is and whether it does mirrored, from comparisons with the ranges of layout.h. Whether an edge stays is as good as
   random, so neither the sieve nor the gathering of what it left has a branch on it. A list is two arrays side by
   side, `col` and `row`: 8 bytes an edge, as many as expected and a sixteenth reserved at once.
   A self-loop joins a vertex to itself: no search needs it, and only its owner counts it. */
#include "edges.h"

#include <stdlib.h>

#include "hot.h"
#include "memory.h"

enum { KEEP_INPUT = 1, KEEP_MIRROR = 2, KEEP_LOOP = 4 };

/* The ranges of this rank as 32-bit lanes see them. */
struct sieve {
    uint32_t row_first, row_count, col_first, col_count, lower_mask;
    int lower_bits;
};

HOT static void sift32(const uint32_t *restrict us, const uint32_t *restrict vs, struct sieve s, uint8_t *restrict keep,
                       int count)
{
    for (int e = 0; e < count; e++) {
        uint32_t u = us[e], v = vs[e];
        uint32_t u_row = (u >> s.lower_bits) - s.row_first < s.row_count;
        uint32_t v_row = (v >> s.lower_bits) - s.row_first < s.row_count;
        uint32_t u_col = (u & s.lower_mask) - s.col_first < s.col_count;
        uint32_t v_col = (v & s.lower_mask) - s.col_first < s.col_count;
        uint32_t flags = (v_row & u_col) | (u_row & v_col) << 1;
        keep[e] = (uint8_t)(u == v ? (v_row & u_col) << 2 : flags);
    }
}

static void sift64(const struct edge_block *b, const struct layout *l, uint8_t *keep, int count)
{
    for (int e = 0; e < count; e++) {
        uint64_t u = block_u(b, e, l->scale), v = block_v(b, e, l->scale);
        int input = in_span(l->row, upper_of(l, v)) && in_span(l->col, lower_of(l, u));
        int mirror = in_span(l->row, upper_of(l, u)) && in_span(l->col, lower_of(l, v));
        keep[e] = (uint8_t)(u == v ? input << 2 : input | mirror << 1);
    }
}

static void sift(const struct edge_block *b, const struct layout *l, uint8_t *keep, int count)
{
    struct sieve s = {(uint32_t)l->row.first,
                      (uint32_t)l->row.count,
                      (uint32_t)l->col.first,
                      (uint32_t)l->col.count,
                      (uint32_t)(((uint64_t)1 << l->lower_bits) - 1),
                      l->lower_bits};
    if (l->scale <= 32) sift32(b->u, b->v, s, keep, count);
    else sift64(b, l, keep, count);
}

static void append(struct edge_list *list, const struct layout *l, uint64_t from, uint64_t to, float weight)
{
    list->col[list->count] = (uint32_t)col_index(l, from);
    list->row[list->count] = (uint32_t)row_index(l, to);
    if (list->weighted) list->weight[list->count] = weight;
    list->count++;
}

static void pick(const struct edge_block *b, const struct layout *l, int count, struct edge_picks *out)
{
    uint8_t keep[EDGE_BLOCK];
    uint16_t kept[EDGE_BLOCK];
    int n = 0;
    sift(b, l, keep, count);
    for (int e = 0; e < count; e++) {
        kept[n] = (uint16_t)e;
        n += keep[e] != 0;
    }
    for (int k = 0; k < n; k++) {
        int e = kept[k];
        uint64_t u = block_u(b, e, l->scale), v = block_v(b, e, l->scale);
        if (keep[e] & KEEP_INPUT) append(&out->input, l, u, v, b->weight[e]);
        if (keep[e] & KEEP_MIRROR) append(&out->mirror, l, v, u, b->weight[e]);
        if (keep[e] & KEEP_LOOP) append(&out->loops, l, u, v, 0);
    }
}

/* One rank keeps everything under its own label; only the self-loops go apart. */
static void pick_all(const struct edge_block *b, int count, struct edge_picks *out)
{
    uint32_t *restrict col = out->input.col + out->input.count, *restrict row = out->input.row + out->input.count;
    int n = 0;
    for (int e = 0; e < count; e++) {
        col[n] = b->u[e];
        row[n] = b->v[e];
        n += b->u[e] != b->v[e];
    }
    if (out->input.weighted) {
        float *restrict weight = out->input.weight + out->input.count;
        for (int e = 0, at = 0; e < count; e++) {
            weight[at] = b->weight[e];
            at += b->u[e] != b->v[e];
        }
    }
    out->input.count += (uint64_t)n;
    for (int e = 0; e < count && n < count; e++) {
        if (b->u[e] != b->v[e]) continue;
        out->loops.col[out->loops.count] = out->loops.row[out->loops.count] = b->u[e];
        out->loops.count++;
        n++;
    }
}

struct edge_source edges_open(const struct layout *l, int edge_factor, uint64_t seed, int weighted)
{
    struct edge_source s = {.layout = *l, .edges = (uint64_t)edge_factor << l->scale, .next = 0};
    generator_open(&s.generator, l->scale, seed, weighted);
    return s;
}

int edges_next(struct edge_source *s, struct edge_picks *out)
{
    struct edge_block block;
    if (s->next == s->edges) return 0;
    int count = s->edges - s->next < EDGE_BLOCK ? (int)(s->edges - s->next) : EDGE_BLOCK;
    generator_block(&s->generator, s->next, count, &block);
    s->next += (uint64_t)count;
    if (s->layout.side == 1) pick_all(&block, count, out);
    else pick(&block, &s->layout, count, out);
    return 1;
}

static void make_room(struct edge_list *list, uint64_t extra)
{
    if (list->count + extra <= list->room) return;
    uint64_t room = list->count + list->count / 4 + extra;
    list->col = take_more(list->col, list->count * sizeof *list->col, room * sizeof *list->col);
    list->row = take_more(list->row, list->count * sizeof *list->row, room * sizeof *list->row);
    if (list->weighted)
        list->weight = take_more(list->weight, list->count * sizeof *list->weight, room * sizeof *list->weight);
    list->room = room;
}

void edges_reserve(struct edge_list *list, uint64_t expected, int weighted)
{
    *list = (struct edge_list){.weighted = weighted};
    make_room(list, expected + expected / 16 + EDGE_BLOCK);
}

void edges_make(struct edge_source *s, struct edge_picks *out)
{
    int alone = s->layout.side == 1, weighted = s->generator.weighted;
    uint64_t expected = s->edges / (uint64_t)(s->layout.side * s->layout.side);
    edges_reserve(&out->input, expected, weighted);
    edges_reserve(&out->mirror, alone ? 0 : expected, weighted);
    edges_reserve(&out->loops, 0, 0);
    do {
        make_room(&out->input, EDGE_BLOCK);
        make_room(&out->mirror, EDGE_BLOCK);
        make_room(&out->loops, EDGE_BLOCK);
    } while (edges_next(s, out));
}

void edges_free(struct edge_list *list)
{
    free(list->col);
    free(list->row);
    free(list->weight);
    *list = (struct edge_list){0};
}

/* The list of v is in hand; for every own u in it, the neighbours w of u before u that are in it too make triangles.
   For a hub u all those w are hubs: its row of bits, cut with the bits of the list, tells them 64 at a time. For other
   u the list is gone through without a branch, and what is met is counted after. */
#include "triangles.h"

#include <stdlib.h>
#include <string.h>

#include "hot.h"
#include "memory.h"

enum { WORDS = HUBS / 64 };

static uint64_t row_words(uint32_t hub) { return ((uint64_t)hub + 63) / 64; }

static void hand_open(struct hand *h, uint32_t all, uint32_t hubs)
{
    h->gain = take(((size_t)all + 1) * sizeof *h->gain);
    h->joined = take_zero((size_t)all + 1);
    h->met = take(((size_t)all + 1) * sizeof *h->met);
    h->mark = take_zero(WORDS * sizeof *h->mark);
    h->mark_both = take_zero(WORDS * sizeof *h->mark_both);
    h->hub_gain = take(((size_t)hubs + 1) * sizeof *h->hub_gain);
}

void triangles_open(struct triangles *t, uint32_t own, uint32_t all, uint64_t entries, int directed, int threads)
{
    uint32_t hubs = all < HUBS ? all : HUBS;
    uint64_t words = row_words(hubs) * (hubs + 64) / 2 * (directed ? 2 : 1);
    *t = (struct triangles){.own = own, .directed = directed, .threads = threads};
    t->ptr = take(((size_t)own + 1) * sizeof *t->ptr);
    t->to = take((entries + 16) * sizeof *t->to);
    t->hub = take(((size_t)hubs + 1) * sizeof *t->hub);
    t->hub_of = take(((size_t)all + 1) * sizeof *t->hub_of);
    t->row_at = take(((size_t)hubs + 1) * sizeof *t->row_at);
    t->row = take((words + 64) * sizeof *t->row);
    t->hands = take((size_t)threads * sizeof *t->hands);
    for (int k = 0; k < threads; k++) hand_open(&t->hands[k], all, hubs);
    t->gain = t->hands->gain;
}

static void hand_close(struct hand *h)
{
    free(h->gain);
    free(h->joined);
    free(h->met);
    free(h->mark);
    free(h->mark_both);
    free(h->hub_gain);
}

void triangles_close(struct triangles *t)
{
    for (int k = 0; k < t->threads; k++) hand_close(&t->hands[k]);
    free(t->hands);
    free(t->ptr);
    free(t->to);
    free(t->hub);
    free(t->hub_of);
    free(t->row_at);
    free(t->row);
}

static void set_bit(uint64_t *bits, uint32_t i) { bits[i / 64] |= (uint64_t)1 << (i % 64); }

static uint64_t fill_row(struct triangles *t, uint32_t hub, uint64_t at)
{
    uint32_t u = t->hub[hub];
    uint64_t words = row_words(hub), all = words * (t->directed ? 2 : 1);
    memset(t->row + at, 0, all * sizeof *t->row);
    for (uint64_t k = t->ptr[u]; k < t->ptr[u + 1]; k++) {
        uint32_t w = t->hub_of[t->to[k] >> 1];
        set_bit(t->row + at, w);
        if (t->directed && (t->to[k] & 1)) set_bit(t->row + at + words, w);
    }
    return all;
}

void triangles_begin(struct triangles *t, uint32_t all)
{
    uint64_t at = 0;
#pragma omp parallel for if (t->threads > 1)
    for (int k = 0; k < t->threads; k++) {
        memset(t->hands[k].gain, 0, ((size_t)all + 1) * sizeof *t->gain);
        memset(t->hands[k].hub_gain, 0, ((size_t)t->hub_count + 1) * sizeof *t->hands->hub_gain);
    }
    for (uint32_t v = 0; v < all; v++) t->hub_of[v] = HUBS;
    for (uint32_t h = 0; h < t->hub_count; h++) t->hub_of[t->hub[h]] = h;
    for (uint32_t h = 0; h < t->hub_count; h++) {
        t->row_at[h] = at;
        if (t->hub[h] < t->own) at += fill_row(t, h, at);
    }
}

/* What u and v gain by their triangles, edges towards u and v counted once or twice. */
struct gains {
    uint64_t middle, last;
};

HOT static struct gains cut_rows(const uint64_t *row, uint64_t words, const uint64_t *mark, uint64_t edges,
                                 uint64_t *hub_gain)
{
    uint64_t found = 0;
    for (uint64_t k = 0; k < words; k++) {
        uint64_t both = row[k] & mark[k];
        found += (uint64_t)__builtin_popcountll(both);
        for (; both; both &= both - 1) hub_gain[k * 64 + (uint64_t)__builtin_ctzll(both)] += edges;
    }
    return (struct gains){2 * found, 2 * found};
}

HOT static struct gains cut_directed_rows(const uint64_t *row, uint64_t words, const uint64_t *mark,
                                          const uint64_t *mark_both, uint64_t edges, uint64_t *hub_gain)
{
    struct gains g = {0, 0};
    for (uint64_t k = 0; k < words; k++) {
        uint64_t both = row[k] & mark[k], found = (uint64_t)__builtin_popcountll(both);
        g.middle += found + (uint64_t)__builtin_popcountll(both & mark_both[k]);
        g.last += found + (uint64_t)__builtin_popcountll(both & row[words + k]);
        for (; both; both &= both - 1) hub_gain[k * 64 + (uint64_t)__builtin_ctzll(both)] += edges;
    }
    return g;
}

static uint32_t meet(const uint32_t *list, uint64_t count, const uint8_t *joined, uint32_t *met)
{
    uint32_t n = 0;
    for (uint64_t k = 0; k < count; k++) {
        met[n] = list[k];
        n += joined[list[k] >> 1] != 0;
    }
    return n;
}

static struct gains scan_list(const struct triangles *t, const struct hand *h, uint32_t u, uint64_t edges)
{
    struct gains g = {0, 0};
    uint32_t n = meet(t->to + t->ptr[u], t->ptr[u + 1] - t->ptr[u], h->joined, h->met);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t w = h->met[k] >> 1;
        h->gain[w] += edges;
        g.middle += h->joined[w];
        g.last += 1 + (h->met[k] & 1);
    }
    return g;
}

static void take_in_hand(const struct triangles *t, const struct hand *h, const uint32_t *list, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        uint32_t v = list[k] >> 1, hub = t->hub_of[v];
        h->joined[v] = (uint8_t)(1 + (list[k] & 1));
        if (hub == HUBS) continue;
        set_bit(h->mark, hub);
        if (list[k] & 1) set_bit(h->mark_both, hub);
    }
}

static void put_down(const struct triangles *t, const struct hand *h, const uint32_t *list, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        uint32_t v = list[k] >> 1, hub = t->hub_of[v];
        h->joined[v] = 0;
        if (hub < HUBS) h->mark[hub / 64] = h->mark_both[hub / 64] = 0;
    }
}

void triangles_find(const struct triangles *t, int thread, uint32_t v, const uint32_t *list, uint32_t count)
{
    const struct hand *h = &t->hands[thread];
    uint64_t gain = 0;
    take_in_hand(t, h, list, count);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t u = list[k] >> 1;
        uint64_t edges = 1 + (list[k] & 1);
        if (u >= t->own) continue;
        uint32_t hub = t->hub_of[u];
        const uint64_t *row = hub < HUBS ? t->row + t->row_at[hub] : NULL;
        struct gains g = !row ? scan_list(t, h, u, edges)
                         : t->directed
                             ? cut_directed_rows(row, row_words(hub), h->mark, h->mark_both, edges, h->hub_gain)
                             : cut_rows(row, row_words(hub), h->mark, edges, h->hub_gain);
        h->gain[u] += g.middle;
        gain += g.last;
    }
    h->gain[v] += gain;
    put_down(t, h, list, count);
}

void triangles_end(struct triangles *t, uint32_t all)
{
    for (int k = 0; k < t->threads; k++)
        for (uint32_t h = 0; h < t->hub_count; h++) t->gain[t->hub[h]] += t->hands[k].hub_gain[h];
#pragma omp parallel for schedule(static) if (t->threads > 1)
    for (uint32_t v = 0; v < all; v++)
        for (int k = 1; k < t->threads; k++) t->gain[v] += t->hands[k].gain[v];
}

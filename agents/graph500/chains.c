/* A second search, over tree edges alone and with no trust in levels: for validation of trees known to be bad.
   Bitmaps as in bfs.c: `row` and `col` of the blocks, `own` and `hanging` of the piece. Each round the vertices found
   last tell their grid row; ranks there mark their children, and the grid column tells the children's owners. */
#include "chains.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

/* Bits of a piece to and from peers, uncompressed: this runs only on trees already known as bad. */
static void spread_across(const struct graph *g, const uint64_t *own, uint64_t *row)
{
    struct net *net = g->net;
    int q = net->side;
    struct message *out = take_zero((size_t)q * sizeof *out), *in = take_zero((size_t)q * sizeof *in);
    for (int p = 0; p < q; p++) {
        out[p] = (struct message){(void *)(uintptr_t)own, (int)(words_for(g->own) * 8)};
        in[p] = (struct message){row + g->row_start[p] / 64, (int)((g->row_start[p + 1] - g->row_start[p]) / 8)};
    }
    net_exchange(net, ALONG_ROW, out, in);
    memcpy(row + g->row_start[net->col] / 64, own, words_for(g->own) * 8);
    free(out);
    free(in);
}

static void collect(const struct graph *g, const uint64_t *col, uint64_t *own)
{
    struct net *net = g->net;
    int q = net->side;
    uint32_t words = words_for(g->own);
    struct message *out = take_zero((size_t)q * sizeof *out), *in = take_zero((size_t)q * sizeof *in);
    uint64_t *arrived = take_zero((size_t)q * words * 8 + 8);
    for (int p = 0; p < q; p++) {
        out[p] = (struct message){(void *)(uintptr_t)(col + g->col_start[p] / 64),
                                  (int)((g->col_start[p + 1] - g->col_start[p]) / 8)};
        in[p] = (struct message){arrived + (size_t)p * words, (int)(words * 8)};
    }
    net_exchange(net, ALONG_COLUMN, out, in);
    memcpy(own, col + g->col_start[net->row] / 64, words * 8);
    for (uint32_t w = 0; w < (uint32_t)q * words; w++) own[w % words] |= arrived[w];
    free(arrived);
    free(out);
    free(in);
}

/* Marks the children of the vertices in `row`. */
static void step(const struct graph *g, const struct tree *t, const uint64_t *row, uint64_t *col)
{
    memset(col, 0, (size_t)words_for(col_bits(g)) * 8);
    for (uint32_t v = 0; v < col_bits(g); v++) {
        uint32_t p = t->col_parent[v];
        if (p < row_bits(g) && bit_get(row, p)) bit_set(col, v);
    }
}

uint64_t chains_astray(const struct bfs *b, struct search_key key, const struct tree *t)
{
    const struct graph *g = b->graph;
    uint32_t words = words_for(g->own);
    uint64_t *col = take_zero((size_t)words_for(col_bits(g)) * 8 + 8);
    uint64_t *row = take_zero((size_t)words_for(row_bits(g)) * 8 + 8);
    uint64_t *own = take_zero((size_t)words * 8 + 8), *hanging = take_zero((size_t)words * 8 + 8);
    if ((int)key.owner == g->net->rank) bit_set(own, key.local);
    for (uint64_t fresh = 1; fresh > 0;) {
        for (uint32_t w = 0; w < words; w++) hanging[w] |= own[w];
        spread_across(g, own, row);
        step(g, t, row, col);
        collect(g, col, own);
        fresh = 0;
        for (uint32_t w = 0; w < words; w++) {
            own[w] &= ~hanging[w];
            fresh |= own[w];
        }
        fresh = fresh != 0;
        net_sum(g->net, &fresh, 1);
    }
    uint64_t astray = 0;
    for (uint32_t v = 0; v < g->own; v++) astray += b->parent[v] != NO_PARENT && !bit_get(hanging, v);
    net_sum(g->net, &astray, 1);
    free(col);
    free(row);
    free(own);
    free(hanging);
    return astray;
}

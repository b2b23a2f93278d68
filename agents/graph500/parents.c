/* The parents' way home: once per search, each from the rank that found it to the rank that owns the child.

   During the search an owner learns only that a vertex was found, and by which grid column; won[p] marks those whose
   parent column p knows. Here it sends each column of its grid row that bitmap (pieces.h), and gets back the parents
   of the marked vertices alone, in ascending order: 3 bytes each, little end first, 4 where the answering column's
   block has more than 2^24 vertices. A vertex found by several columns thus sends one parent, not one per finder.
   Out: b->parent (column-block number, NO_PARENT if not reached) and b->parent_column (which column's block) for the
   own piece; the root is its own parent. */
#include "parents.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "pieces.h"

static int parent_width(const struct graph *g) { return col_bits(g) <= 1u << 24 ? 3 : 4; }

static void put(uint8_t *out, uint32_t x, int width)
{
    for (int i = 0; i < width; i++) out[i] = (uint8_t)(x >> (8 * i));
}

static uint32_t get(const uint8_t *in, int width)
{
    uint32_t x = 0;
    for (int i = 0; i < width; i++) x |= (uint32_t)in[i] << (8 * i);
    return x;
}

/* Tells every column which parents this owner wants from it; fills wanted[] with what others want here. */
static void ask(struct bfs *b, uint64_t **wanted)
{
    const struct graph *g = b->graph;
    struct net *net = g->net;
    uint32_t own = words_for(g->own);
    uint8_t *rooms[net->side];
    for (int p = 0; p < net->side; p++) {
        uint32_t words = (g->row_start[p + 1] - g->row_start[p]) / 64;
        rooms[p] = take((size_t)own * 8 + 8);
        wanted[p] = take((size_t)words * 8 + 8);
        b->row_in[p].bytes = (int)(words * 8);
        b->row_out[p] = piece_encode(b->won[p], own, 0, rooms[p]);
    }
    net_exchange(net, ALONG_ROW, b->row_out, b->row_in);
    for (int p = 0; p < net->side; p++) {
        if (p != net->col) piece_decode(b->row_in[p], wanted[p], (g->row_start[p + 1] - g->row_start[p]) / 64);
        free(rooms[p]);
    }
}

/* Parents of the wanted vertices of piece p, in ascending order of vertex. */
static struct message answer(const struct bfs *b, const uint64_t *wanted, int p)
{
    const struct graph *g = b->graph;
    uint32_t start = g->row_start[p], words = (g->row_start[p + 1] - start) / 64;
    int width = parent_width(g);
    uint8_t *data = take(count_bits(wanted, words) * (size_t)width + 8), *out = data;
    for (uint32_t w = 0; w < words; w++)
        for (uint64_t left = wanted[w]; left; left &= left - 1, out += width)
            put(out, b->candidate[start + w * 64 + (uint32_t)__builtin_ctzll(left)], width);
    return (struct message){data, (int)(out - data)};
}

static void take_answer(struct bfs *b, const uint8_t *in, int p, int width)
{
    uint32_t words = words_for(b->graph->own);
    for (uint32_t w = 0; w < words; w++)
        for (uint64_t left = b->won[p][w]; left; left &= left - 1, in += width) {
            uint32_t v = w * 64 + (uint32_t)__builtin_ctzll(left);
            b->parent[v] = get(in, width);
            b->parent_column[v] = (uint16_t)p;
        }
}

/* 3 or 4 bytes as the sender's column block demands; answers carry the sender's width. */
static int width_of_column(const struct graph *g, int col)
{
    return graph_col_start(g, col, g->net->side) <= 1u << 24 ? 3 : 4;
}

static void settle_on_grid(struct bfs *b)
{
    const struct graph *g = b->graph;
    struct net *net = g->net;
    int q = net->side;
    uint64_t *wanted[q];
    struct message in[q];
    ask(b, wanted);
    for (int p = 0; p < q; p++) {
        if (p == net->col) continue;
        size_t bytes = count_bits(b->won[p], words_for(g->own)) * (size_t)width_of_column(g, p);
        in[p] = (struct message){take(bytes + 8), (int)bytes};
        b->row_out[p] = answer(b, wanted[p], p);
    }
    net_exchange(net, ALONG_ROW, b->row_out, in);
    memcpy(b->parent, b->candidate + g->row_start[net->col], (size_t)g->own * sizeof *b->parent);
    for (uint32_t v = 0; v < g->own; v++) b->parent_column[v] = (uint16_t)net->col;
    for (int p = 0; p < q; p++) {
        free(wanted[p]);
        if (p == net->col) continue;
        take_answer(b, in[p].data, p, width_of_column(g, p));
        free(in[p].data);
        free(b->row_out[p].data);
    }
}

/* Vertices never reached have a candidate from an earlier search, or nothing; padding is cleared too. */
static void clear_unreached(struct bfs *b)
{
    const struct graph *g = b->graph;
    const uint64_t *visited = b->visited + g->row_start[g->net->col] / 64;
    for (uint32_t w = 0; w < words_for(g->own); w++)
        for (uint64_t left = ~visited[w]; left; left &= left - 1)
            b->parent[w * 64 + (uint32_t)__builtin_ctzll(left)] = NO_PARENT;
}

void settle_parents(struct bfs *b, struct search_key key)
{
    const struct graph *g = b->graph;
    if (g->net->side > 1) settle_on_grid(b);
    clear_unreached(b);
    if ((int)key.owner != g->net->rank) return;
    b->parent[key.local] = g->col_start[g->net->row] + key.local;
    if (b->parent_column) b->parent_column[key.local] = (uint16_t)g->net->col;
}

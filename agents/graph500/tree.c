/* The tree edges, from the owners of the children to the ranks where the input edges between child and parent are.
   One message goes to each rank of the grid column: a bitmap of the children whose parent is in that rank's grid row,
   then their parents as that row numbers them, in ascending order of child: 2, 3 or 4 bytes each, little end first, by
   the length of the row block. There they become an array over the column block. */
#include "tree.h"

#include <stdlib.h>
#include <string.h>

#include "levels.h"
#include "memory.h"
#include "pieces.h"

/* Own tree edges for one grid row: who the children are, then their parents as that row numbers them, by
   ascending child, `width` bytes each. */
struct arcs {
    uint64_t *children;
    uint8_t *parents;
    size_t bytes; /* of both, one behind the other */
    int width;
};

static int width_for(uint32_t numbers) { return numbers <= 1u << 16 ? 2 : numbers <= 1u << 24 ? 3 : 4; }

static uint32_t row_bits_of(const struct graph *g, int row) { return graph_row_start(g, row, g->net->side); }

static struct arcs arcs_open(const struct graph *g, int row)
{
    struct arcs a = {.width = width_for(row_bits_of(g, row))};
    size_t head = words_for(g->own) * sizeof(uint64_t);
    a.children = take(head + (size_t)g->own * (size_t)a.width + 8);
    a.parents = (uint8_t *)a.children + head;
    a.bytes = head;
    memset(a.children, 0, head);
    return a;
}

static void add_arc(struct arcs *a, uint32_t child, uint32_t parent)
{
    bit_set(a->children, child);
    memcpy(a->parents, &parent, sizeof parent); /* the low bytes come first; the next arc covers the others */
    a->parents += a->width;
    a->bytes += (size_t)a->width;
}

/* Where the pieces of every grid column start in its column block, and in the row blocks they are in. */
struct places {
    uint32_t *col_start, *row_start;
};

static struct places places_open(const struct graph *g)
{
    size_t q = (size_t)g->net->side;
    struct places s = {take((q + 1) * q * sizeof(uint32_t)), take(q * q * sizeof(uint32_t))};
    for (int j = 0; j < (int)q; j++)
        for (int i = 0; i <= (int)q; i++) {
            s.col_start[j * ((int)q + 1) + i] = graph_col_start(g, j, i);
            if (i < (int)q) s.row_start[j * (int)q + i] = graph_row_start(g, i, j);
        }
    return s;
}

/* Sorts the own tree edges, the root's loop apart, by the grid row of the parent. */
static uint64_t sort_arcs(const struct bfs *b, struct search_key key, struct arcs *arcs)
{
    const struct graph *g = b->graph;
    int q = g->net->side;
    struct places s = places_open(g);
    uint64_t nowhere = 0;
    uint32_t root = (int)key.owner == g->net->rank ? key.local : NO_PARENT;
    for (uint32_t v = 0; v < g->own; v++) {
        uint32_t parent = b->parent[v];
        if (parent == NO_PARENT || v == root) continue;
        int j = b->parent_column[v], i = 0;
        const uint32_t *start = s.col_start + j * (q + 1);
        if (j >= q || parent >= start[q]) {
            nowhere++;
            continue;
        }
        for (int k = 1; k < q; k++) i += parent >= start[k];
        add_arc(&arcs[i], v, s.row_start[j * q + i] + parent - start[i]);
    }
    free(s.col_start);
    free(s.row_start);
    return nowhere;
}

static void enter_arcs(const uint8_t *arcs, uint32_t words, int width, uint32_t *parent)
{
    const uint8_t *in = arcs + (size_t)words * 8;
    uint32_t mask = width < 4 ? (1u << 8 * width) - 1 : UINT32_MAX;
    for (uint32_t w = 0; w < words; w++) {
        uint64_t left, number = 0;
        for (memcpy(&left, arcs + (size_t)w * 8, 8); left; left &= left - 1, in += width) {
            memcpy(&number, in, sizeof(uint32_t));
            parent[w * 64 + (uint32_t)__builtin_ctzll(left)] = (uint32_t)number & mask;
        }
    }
}

/* Each grid row gets the arcs whose parents it knows, along the grid column that knows the children. */
static uint32_t *deliver(const struct graph *g, struct arcs *arcs)
{
    struct net *net = g->net;
    int q = net->side, width = width_for(row_bits(g));
    struct message out[q], in[q];
    uint32_t *parent = take(((size_t)col_bits(g) + 16) * sizeof *parent);
    memset(parent, 255, (size_t)col_bits(g) * sizeof *parent);
    for (int p = 0; p < q; p++) {
        uint32_t own = g->own_of[p * q + net->col];
        out[p] = (struct message){arcs[p].children, (int)arcs[p].bytes};
        in[p].bytes = (int)(words_for(own) * 8 + own * (uint32_t)width);
        in[p].data = p == net->row ? NULL : take((size_t)in[p].bytes + 8);
    }
    net_exchange(net, ALONG_COLUMN, out, in);
    for (int p = 0; p < q; p++) {
        const uint8_t *data = p == net->row ? out[p].data : in[p].data;
        enter_arcs(data, words_for(g->own_of[p * q + net->col]), width, parent + g->col_start[p]);
        free(in[p].data);
    }
    for (int p = 0; p < q; p++) free(arcs[p].children);
    return parent;
}

void tree_spread(struct tree *t, const struct bfs *b, struct search_key key, const uint8_t *levels)
{
    const struct graph *g = b->graph;
    int q = g->net->side;
    if (q == 1) {
        *t = (struct tree){(uint8_t *)(uintptr_t)levels, (uint8_t *)(uintptr_t)levels, b->parent, 0};
        return;
    }
    struct arcs arcs[q];
    for (int i = 0; i < q; i++) arcs[i] = arcs_open(g, i);
    t->nowhere = sort_arcs(b, key, arcs);
    levels_spread(g, levels, &t->row_level, &t->col_level);
    t->col_parent = deliver(g, arcs);
}

void tree_free(struct tree *t, const struct bfs *b)
{
    if (t->col_parent == b->parent) return;
    free(t->row_level);
    free(t->col_level);
    free(t->col_parent);
}

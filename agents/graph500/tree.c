#include "tree.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

/* A child's number in its piece and its parent as the receiver numbers it. */
struct arc {
    uint32_t child, parent;
};

/* Arcs per place along the grid row or column; each list grows as needed. */
struct arcs {
    struct arc *list;
    uint64_t count, room;
};

static void add_arc(struct arcs *a, uint32_t child, uint32_t parent)
{
    if (a->count == a->room) {
        uint64_t room = a->room * 2 + 64;
        a->list = take_more(a->list, a->count * sizeof *a->list, room * sizeof *a->list);
        a->room = room;
    }
    a->list[a->count++] = (struct arc){child, parent};
}

static uint8_t *spread_levels(const struct graph *g, const uint8_t *levels, uint8_t **col_level)
{
    struct net *net = g->net;
    int q = net->side;
    struct message *row_in = take_zero((size_t)q * sizeof *row_in), *col_in = take_zero((size_t)q * sizeof *col_in);
    uint8_t *row = take(row_bits(g) + 64), *col = take(col_bits(g) + 64);
    memset(row, 255, row_bits(g));
    memset(col, 255, col_bits(g));
    for (int p = 0; p < q; p++) {
        row_in[p] = (struct message){row + g->row_start[p], (int)(g->row_start[p + 1] - g->row_start[p])};
        col_in[p] = (struct message){col + g->col_start[p], (int)(g->col_start[p + 1] - g->col_start[p])};
    }
    net_spread(net, (struct message){(void *)(uintptr_t)levels, (int)g->own}, row_in, col_in);
    memcpy(row + g->row_start[net->col], levels, g->own);
    memcpy(col + g->col_start[net->row], levels, g->own);
    free(row_in);
    free(col_in);
    *col_level = col;
    return row;
}

/* Sends lists[p] to place p and enters what arrives, own list included, as parent[start[p] + child]. */
static uint32_t *deliver(const struct graph *g, enum axis axis, struct arcs *lists, const uint32_t *start)
{
    struct net *net = g->net;
    int q = net->side, here = net_place(net, axis);
    struct message *out = take_zero((size_t)q * sizeof *out), *in = take_zero((size_t)q * sizeof *in);
    uint32_t *parent = take(((size_t)start[q] + 16) * sizeof *parent);
    memset(parent, 255, (size_t)start[q] * sizeof *parent);
    for (int p = 0; p < q; p++) {
        out[p] = (struct message){lists[p].list, (int)(lists[p].count * sizeof(struct arc))};
        in[p].bytes = (int)((start[p + 1] - start[p]) * sizeof(struct arc));
        in[p].data = p == here ? NULL : take((size_t)in[p].bytes + 8);
    }
    net_exchange(net, axis, out, in);
    for (int p = 0; p < q; p++) {
        struct message m = p == here ? out[p] : in[p];
        const struct arc *a = m.data;
        for (size_t n = (size_t)m.bytes / sizeof *a; n > 0; n--, a++) parent[start[p] + a->child] = a->parent;
        free(in[p].data);
        free(lists[p].list);
    }
    free(out);
    free(in);
    return parent;
}

/* Sorts the own arcs by the ranks that check them. A parent that is no vertex is left out: its child
   then never counts as confirmed. */
static void sort_arcs(const struct bfs *b, struct arcs *along_row, struct arcs *along_col)
{
    const struct graph *g = b->graph;
    int q = g->net->side;
    uint32_t *starts = take((size_t)(q + 1) * (size_t)q * sizeof *starts); /* column-block starts of every column */
    uint32_t *row_at = take((size_t)q * (size_t)q * sizeof *row_at);       /* row-block starts of every row */
    for (int j = 0; j < q; j++)
        for (int i = 0; i <= q; i++) {
            starts[j * (q + 1) + i] = graph_col_start(g, j, i);
            if (i < q) row_at[i * q + j] = graph_row_start(g, i, j);
        }
    for (uint32_t v = 0; v < g->own; v++) {
        uint32_t parent = b->parent[v];
        int j = b->parent_column[v], i = 0;
        if (parent == NO_PARENT || parent >= starts[j * (q + 1) + q]) continue;
        while (parent >= starts[j * (q + 1) + i + 1]) i++;
        add_arc(&along_row[j], v, parent);
        add_arc(&along_col[i], v, row_at[i * q + j] + parent - starts[j * (q + 1) + i]);
    }
    free(starts);
    free(row_at);
}

void tree_spread(struct tree *t, const struct bfs *b, const uint8_t *levels)
{
    const struct graph *g = b->graph;
    if (g->net->side == 1) {
        t->row_level = t->col_level = (uint8_t *)(uintptr_t)levels;
        t->row_parent = t->col_parent = b->parent;
        return;
    }
    size_t bytes = (size_t)g->net->side * sizeof(struct arcs);
    struct arcs *along_row = take_zero(bytes), *along_col = take_zero(bytes);
    sort_arcs(b, along_row, along_col);
    t->row_level = spread_levels(g, levels, &t->col_level);
    t->row_parent = deliver(g, ALONG_ROW, along_row, g->row_start);
    t->col_parent = deliver(g, ALONG_COLUMN, along_col, g->col_start);
    free(along_row);
    free(along_col);
}

void tree_free(struct tree *t, const struct bfs *b)
{
    if (t->row_parent == b->parent) return;
    free(t->row_level);
    free(t->col_level);
    free(t->row_parent);
    free(t->col_parent);
}

/* Parents and levels on their way from the owners of the children to the ranks where the input edges are.
   Levels and distances go along grid row and column (levels.c). Of parents, one message goes to each rank of the grid
   column: a bitmap of the children whose parent is in that rank's grid row, by own_index, then the parents by row_index
   there, in ascending order of child: as many bytes each as the row block's length needs, little end first. */
#include "claims.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

/* Own tree edges for one grid row. */
struct arcs {
    uint64_t *children; /* the bitmap, and the parents behind it */
    uint8_t *parents;   /* where the next is written */
    size_t bytes;
    int width;
    uint64_t first; /* label of the row block's first vertex */
};

static int alone(const struct graph *g) { return g->net->ranks == 1; }

static int width_for(uint64_t numbers) { return numbers <= 1u << 16 ? 2 : numbers <= 1u << 24 ? 3 : 4; }

static size_t bitmap_bytes(size_t bits) { return (bits + 63) / 64 * 8; }

static struct arcs arcs_open(const struct layout *l, int row)
{
    struct span upper = layout_upper_span(l, row);
    struct arcs a = {.width = width_for(upper.count << l->lower_bits), .first = upper.first << l->lower_bits};
    size_t own = (size_t)layout_own_size(l), head = bitmap_bytes(own);
    a.children = take(head + own * (size_t)a.width + 8);
    a.parents = (uint8_t *)a.children + head;
    a.bytes = head;
    memset(a.children, 0, head);
    return a;
}

static void add_arc(struct arcs *a, uint32_t child, uint64_t parent)
{
    uint32_t row = (uint32_t)(parent - a->first);
    bit_set(a->children, child);
    memcpy(a->parents, &row, sizeof row); /* the low bytes come first; the next arc covers the others */
    a->parents += a->width;
    a->bytes += (size_t)a->width;
}

/* Sorts the own tree edges, the root's loop apart, by the grid row of the parent; returns how many lead nowhere. */
static uint64_t sort_arcs(const struct bfs *b, struct search_key key, struct arcs *arcs)
{
    const struct graph *g = b->graph;
    const struct layout *l = &g->layout;
    int q = g->net->side;
    uint64_t nowhere = 0, root = (int)key.owner == g->net->rank ? own_index(l, key.label) : UINT64_MAX;
    for (uint64_t v = 0; v < layout_own_size(l); v++) {
        if (bfs_parent(b, v) == NO_PARENT || v == root) continue;
        uint64_t parent = (uint64_t)bfs_parent(b, v);
        int i = 0;
        if (parent >> l->scale) {
            nowhere++;
            continue;
        }
        for (int k = 1; k < q; k++) i += parent >= arcs[k].first;
        add_arc(&arcs[i], (uint32_t)v, parent);
    }
    return nowhere;
}

static void enter_arcs(const uint8_t *arcs, size_t own, int width, int lanes, uint32_t *parent)
{
    const uint8_t *in = arcs + bitmap_bytes(own);
    uint32_t mask = width < 4 ? (1u << 8 * width) - 1 : UINT32_MAX;
    for (size_t w = 0; w < bitmap_bytes(own) / 8; w++) {
        uint64_t left;
        uint32_t row;
        for (memcpy(&left, arcs + w * 8, 8); left; left &= left - 1, in += width) {
            memcpy(&row, in, sizeof row);
            parent[(w * 64 + (size_t)__builtin_ctzll(left)) * (size_t)lanes] = row & mask;
        }
    }
}

/* Each grid row gets the arcs whose parents it knows, along the grid column that knows the children. */
static void deliver(struct claims *c, int lane, struct arcs *arcs)
{
    const struct graph *g = c->graph;
    const struct layout *l = &g->layout;
    struct net *net = g->net;
    int q = net->side, width = width_for(layout_row_size(l));
    struct message out[q], in[q];
    for (int p = 0; p < q; p++) {
        size_t own = (size_t)(layout_upper_span(l, p).count * l->col.count);
        out[p] = (struct message){arcs[p].children, arcs[p].bytes};
        in[p].bytes = bitmap_bytes(own) + own * (size_t)width;
        in[p].data = p == net->row ? NULL : take(in[p].bytes + 8);
    }
    net_exchange(net, ALONG_COLUMN, out, in);
    for (int p = 0; p < q; p++) {
        struct span upper = layout_upper_span(l, p);
        const uint8_t *data = p == net->row ? out[p].data : in[p].data;
        size_t first = (size_t)(upper.first * l->col.count);
        enter_arcs(data, (size_t)(upper.count * l->col.count), width, c->lanes,
                   c->col_parent + first * (size_t)c->lanes + lane);
        free(in[p].data);
    }
}

static void enter_levels(const uint8_t *levels, uint64_t count, int lanes, uint8_t *out)
{
    for (uint64_t v = 0; v < count; v++) out[v * (uint64_t)lanes] = levels[v];
}

static void enter_distances(const float *distances, uint64_t count, int lanes, float *out)
{
    for (uint64_t v = 0; v < count; v++) out[v * (uint64_t)lanes] = distances[v];
}

/* What all vertices of both blocks claim; on one rank of one block. */
static void enter_values(struct claims *c, int lane, const void *row, const void *col)
{
    const struct layout *l = &c->graph->layout;
    uint64_t rows = alone(c->graph) ? 0 : layout_row_size(l), cols = layout_col_size(l);
    if (c->col_level) {
        enter_levels(row, rows, c->lanes, c->row_level + lane);
        enter_levels(col, cols, c->lanes, c->col_level + lane);
        return;
    }
    enter_distances(row, rows, c->lanes, c->row_distance + lane);
    enter_distances(col, cols, c->lanes, c->col_distance + lane);
}

static void enter_on_grid(struct claims *c, int lane, const struct bfs *b, struct search_key key, const void *values)
{
    const struct graph *g = c->graph;
    int q = g->net->side;
    void *row, *col;
    struct arcs arcs[q];
    for (int i = 0; i < q; i++) arcs[i] = arcs_open(&g->layout, i);
    c->nowhere[lane] = sort_arcs(b, key, arcs);
    values_spread(g, values, c->col_level ? 1 : sizeof(float), &row, &col);
    enter_values(c, lane, row, col);
    deliver(c, lane, arcs);
    for (int i = 0; i < q; i++) free(arcs[i].children);
    free(row);
    free(col);
}

static void enter_alone(struct claims *c, int lane, const struct bfs *b, struct search_key key, const void *values)
{
    uint64_t labels = layout_own_size(&c->graph->layout), nowhere = 0, lanes = (uint64_t)c->lanes;
    enter_values(c, lane, NULL, values);
    for (uint64_t v = 0; v < labels; v++) {
        int64_t parent = bfs_parent(b, v);
        int astray = parent != NO_PARENT && (uint64_t)parent >= labels;
        nowhere += (uint64_t)astray;
        c->col_parent[v * lanes + (uint64_t)lane] = astray ? NO_ROW : (uint32_t)parent;
    }
    c->col_parent[key.label * lanes + (uint64_t)lane] = NO_ROW;
    c->nowhere[lane] = nowhere;
}

void claims_open(struct claims *c, const struct graph *g, int lanes, int distances)
{
    size_t rows = (size_t)layout_row_size(&g->layout), cols = (size_t)layout_col_size(&g->layout), n = (size_t)lanes;
    *c = (struct claims){.graph = g, .lanes = lanes};
    if (distances) {
        c->col_distance = take((cols * n + 16) * sizeof *c->col_distance);
        c->row_distance = alone(g) ? c->col_distance : take((rows * n + 16) * sizeof *c->row_distance);
        c->weighed = take(cols + 64);
    } else {
        c->col_level = take(cols * n + 64);
        c->row_level = alone(g) ? c->col_level : take(rows * n + 64);
    }
    c->col_parent = take((cols * n + 16) * sizeof *c->col_parent);
    c->confirmed = take(cols + 64);
    claims_clear(c);
}

static void clear_distances(struct claims *c, size_t rows, size_t cols)
{
    for (size_t i = 0; i < rows * (size_t)c->lanes && !alone(c->graph); i++) c->row_distance[i] = INFINITY;
    for (size_t i = 0; i < cols * (size_t)c->lanes; i++) c->col_distance[i] = INFINITY;
    memset(c->weighed, 0, cols);
}

void claims_clear(struct claims *c)
{
    const struct graph *g = c->graph;
    size_t rows = (size_t)layout_row_size(&g->layout), cols = (size_t)layout_col_size(&g->layout);
    if (c->col_distance) clear_distances(c, rows, cols);
    if (c->col_level) memset(c->col_level, NO_LEVEL, cols * (size_t)c->lanes);
    if (c->col_level && !alone(g)) memset(c->row_level, NO_LEVEL, rows * (size_t)c->lanes);
    memset(c->col_parent, 255, cols * (size_t)c->lanes * sizeof *c->col_parent); /* NO_ROW */
    memset(c->confirmed, 0, cols);
    memset(c->nowhere, 0, sizeof c->nowhere);
}

void claims_enter(struct claims *c, int lane, const struct bfs *b, struct search_key key, const void *values)
{
    if (alone(c->graph)) enter_alone(c, lane, b, key, values);
    else enter_on_grid(c, lane, b, key, values);
}

void claims_close(struct claims *c)
{
    if (!alone(c->graph)) {
        free(c->row_level);
        free(c->row_distance);
    }
    free(c->col_level);
    free(c->col_distance);
    free(c->weighed);
    free(c->col_parent);
    free(c->confirmed);
}

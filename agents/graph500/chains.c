/* A second search, over tree edges alone and with no trust in levels: for validation of trees known to be bad.
   A byte per vertex tells whether it hangs from the root (0) or does not so far (NO_LEVEL). Each round the owners tell
   their grid row and column (levels.c); ranks where a vertex's parent is found hanging mark it, and the grid column
   tells its owner. */
#include "chains.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

enum { HANGS = 0 };

/* Marks the children here of parents that hang; returns how many children here do not hang so far. */
static uint64_t step(const struct claims *c, int lane, const uint8_t *row, const uint8_t *col, uint8_t *marks)
{
    uint64_t cols = layout_col_size(&c->graph->layout), astray = 0;
    for (uint64_t v = 0; v < cols; v++) {
        uint32_t p = c->col_parent[v * (uint64_t)c->lanes + (uint64_t)lane];
        marks[v] = p != NO_ROW && row[p] == HANGS ? HANGS : NO_LEVEL;
        astray += p != NO_ROW && col[v] != HANGS;
    }
    return astray;
}

static uint64_t take_marks(const uint8_t *marks, uint8_t *own, size_t count)
{
    uint64_t fresh = 0;
    for (size_t v = 0; v < count; v++) {
        fresh += marks[v] == HANGS && own[v] != HANGS;
        own[v] &= marks[v];
    }
    return fresh;
}

/* Each owner gets the marks of its vertices from its grid column; returns how many were not known to hang. */
static uint64_t collect(const struct graph *g, uint8_t *marks, uint8_t *own)
{
    struct net *net = g->net;
    const struct layout *l = &g->layout;
    int q = net->side;
    size_t count = (size_t)layout_own_size(l);
    struct message out[q], in[q];
    for (int p = 0; p < q; p++) {
        struct span upper = layout_upper_span(l, p);
        out[p] = (struct message){marks + upper.first * l->col.count, upper.count * l->col.count};
        in[p] = (struct message){p == net->row ? NULL : take(count + 1), count};
    }
    net_exchange(net, ALONG_COLUMN, out, in);
    uint64_t fresh = take_marks(out[net->row].data, own, count);
    for (int p = 0; p < q; p++) {
        if (p == net->row) continue;
        fresh += take_marks(in[p].data, own, count);
        free(in[p].data);
    }
    return fresh;
}

uint64_t chains_astray(const struct claims *c, int lane, struct search_key key)
{
    const struct graph *g = c->graph;
    size_t count = (size_t)layout_own_size(&g->layout);
    uint8_t *own = take(count + 64), *marks = take((size_t)layout_col_size(&g->layout) + 64);
    void *row, *col;
    uint64_t fresh = 1, astray = 0;
    memset(own, NO_LEVEL, count);
    if ((int)key.owner == g->net->rank) own[own_index(&g->layout, key.label)] = HANGS;
    while (fresh > 0) {
        values_spread(g, own, 1, &row, &col);
        astray = step(c, lane, row, col, marks) + c->nowhere[lane];
        fresh = collect(g, marks, own);
        net_sum(g->net, &fresh, 1);
        free(row);
        free(col);
    }
    net_sum(g->net, &astray, 1);
    free(own);
    free(marks);
    return astray;
}

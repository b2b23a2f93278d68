/* Claimed values on their way. Levels: from one bitmap per level, as the search keeps them, to a byte per vertex,
   NO_LEVEL if not reached. They are sent along grid row and column two to a byte (15 for not reached) where no level of
   the piece is above 14, as in Kronecker graphs, else as they are, as distances always are. */
#include "levels.h"

#include <stdlib.h>
#include <string.h>

#include "hot.h"
#include "memory.h"

enum { NO_NIBBLE = 15 };

uint8_t *claimed_levels(const struct bfs *b)
{
    const struct graph *g = b->graph;
    size_t labels = (size_t)layout_own_size(&g->layout);
    uint8_t *levels = take(labels + 64);
    memset(levels, NO_LEVEL, labels);
    for (int level = 0; level < b->levels && level < LEVELS_KEPT; level++)
        for (uint32_t w = 0; w < words_for(g->own); w++)
            for (uint64_t left = b->level_bits[level][w]; left; left &= left - 1)
                levels[g->position[w * 64 + (uint32_t)__builtin_ctzll(left)]] = (uint8_t)level;
    return levels;
}

HOT static int fit_nibbles(const uint8_t *levels, uint32_t count)
{
    uint32_t wide = 0;
    for (uint32_t v = 0; v < count; v++) wide += (levels[v] >= NO_NIBBLE) & (levels[v] != NO_LEVEL);
    return wide == 0;
}

HOT static void pack(const uint8_t *restrict levels, uint32_t count, uint8_t *restrict out)
{
    for (uint32_t i = 0; i < count / 2; i++)
        out[i] = (uint8_t)((levels[2 * i] & 15) | (levels[2 * i + 1] & 15) << 4); /* NO_LEVEL becomes NO_NIBBLE */
    if (count % 2) out[count / 2] = levels[count - 1] & 15;
}

static inline uint8_t widen(int nibble) { return (uint8_t)(nibble == NO_NIBBLE ? NO_LEVEL : nibble); }

HOT static void unpack(const uint8_t *restrict in, uint32_t count, uint8_t *restrict levels)
{
    for (uint32_t i = 0; i < count / 2; i++) {
        levels[2 * i] = widen(in[i] & 15);
        levels[2 * i + 1] = widen(in[i] >> 4);
    }
    if (count % 2) levels[count - 1] = widen(in[count / 2] & 15);
}

/* As they are, or two to a byte, which the length of the message tells; two vertices at least have two lengths. */
static struct message encode(const uint8_t *levels, uint32_t count, uint8_t *room)
{
    if (count < 2 || !fit_nibbles(levels, count)) return (struct message){(void *)(uintptr_t)levels, count};
    pack(levels, count, room);
    return (struct message){room, (count + 1) / 2};
}

static void decode(struct message m, uint32_t count, uint8_t *levels)
{
    if (m.bytes < count) unpack(m.data, count, levels);
    else memcpy(levels, m.data, count);
}

/* Labels of the rank at a place along an axis. */
static size_t labels_at(const struct layout *l, enum axis axis, int place)
{
    if (axis == ALONG_ROW) return l->row.count * layout_lower_span(l, place).count;
    return layout_upper_span(l, place).count * l->col.count;
}

/* A piece of the row block is a range of each of its rows, a piece of the column block a run of whole ones. */
static void enter(const struct layout *l, enum axis axis, int place, const uint8_t *values, size_t width,
                  uint8_t *block)
{
    if (axis == ALONG_COLUMN) {
        memcpy(block + layout_upper_span(l, place).first * l->col.count * width, values,
               labels_at(l, axis, place) * width);
        return;
    }
    struct span lower = layout_lower_span(l, place);
    for (uint64_t a = 0; a < l->row.count; a++)
        memcpy(block + ((a << l->lower_bits) + lower.first) * width, values + a * lower.count * width,
               lower.count * width);
}

/* Enters what all places of an axis sent; the own levels at the own place. */
static void enter_all(const struct graph *g, enum axis axis, struct message *in, const uint8_t *own, size_t width,
                      uint8_t *block)
{
    const struct net *net = g->net;
    const struct layout *l = &g->layout;
    enter(l, axis, net_place(net, axis), own, width, block);
    for (int p = 0; p < net->side; p++) {
        if (p == net_place(net, axis)) continue;
        size_t labels = labels_at(l, axis, p);
        uint8_t *wide = width == 1 ? take(labels + 64) : in[p].data;
        if (width == 1) decode(in[p], (uint32_t)labels, wide);
        enter(l, axis, p, wide, width, block);
        if (width == 1) free(wide);
        free(in[p].data);
    }
}

void values_spread(const struct graph *g, const void *values, size_t width, void **row_values, void **col_values)
{
    struct net *net = g->net;
    const struct layout *l = &g->layout;
    int q = net->side;
    size_t own = (size_t)layout_own_size(l);
    struct message row_in[q], col_in[q], out = {(void *)(uintptr_t)values, own * width};
    uint8_t *room = take(own + 64);
    for (int p = 0; p < q; p++) {
        size_t in_row = labels_at(l, ALONG_ROW, p) * width, in_col = labels_at(l, ALONG_COLUMN, p) * width;
        row_in[p] = (struct message){p == net->col ? NULL : take(in_row + 1), in_row};
        col_in[p] = (struct message){p == net->row ? NULL : take(in_col + 1), in_col};
    }
    net_spread(net, width == 1 ? encode(values, (uint32_t)own, room) : out, row_in, col_in);
    *row_values = take((size_t)layout_row_size(l) * width + 64);
    *col_values = take((size_t)layout_col_size(l) * width + 64);
    enter_all(g, ALONG_ROW, row_in, values, width, *row_values);
    enter_all(g, ALONG_COLUMN, col_in, values, width, *col_values);
    free(room);
}

#include "validate.h"

#include <stdlib.h>
#include <string.h>

#include "chains.h"
#include "hot.h"
#include "memory.h"
#include "pieces.h"
#include "tree.h"

const char *rule_text(int rule)
{
    static const char *const texts[] = {"",
                                        "vertices whose parents do not lead to the root",
                                        "tree edges that do not join levels one apart",
                                        "input edges that join levels more than one apart",
                                        "input edges that leave the tree",
                                        "tree edges that are not in the graph"};
    return texts[rule];
}

uint8_t *claimed_levels(const struct bfs *b)
{
    const struct graph *g = b->graph;
    uint8_t *levels = take((size_t)g->own + 64);
    memset(levels, NO_LEVEL, g->own);
    for (int level = 0; level < b->levels && level < LEVELS_KEPT; level++)
        for (uint32_t w = 0; w < words_for(g->own); w++)
            for (uint64_t left = b->level_bits[level][w]; left; left &= left - 1)
                levels[w * 64 + (uint32_t)__builtin_ctzll(left)] = (uint8_t)level;
    return levels;
}

/* Rule 1 as far as one vertex shows it: reached or not in both senses, and one root alone. */
static uint64_t own_offences(const struct bfs *b, struct search_key key, const uint8_t *levels)
{
    const struct graph *g = b->graph;
    uint64_t offences = 0;
    for (uint32_t v = 0; v < g->own; v++) offences += (b->parent[v] == NO_PARENT) != (levels[v] == NO_LEVEL);
    if ((int)key.owner != g->net->rank) return offences;
    int own_parent = b->parent[key.local] == g->col_start[g->net->row] + key.local &&
                     (!b->parent_column || b->parent_column[key.local] == g->net->col);
    return offences + !(own_parent && levels[key.local] == 0);
}

/* Rule 2, each tree edge where its parent is known; the root is its own parent. */
static uint64_t level_steps(const struct graph *g, const struct tree *t, struct search_key key)
{
    uint64_t offences = 0;
    int q = g->net->side, root_here = (int)key.owner == g->net->rank;
    uint32_t root = g->row_start[(int)key.owner % q] + key.local;
    for (uint32_t v = 0; v < row_bits(g); v++) {
        uint32_t p = t->row_parent[v];
        if (p == NO_PARENT || (root_here && v == root)) continue;
        offences += p >= col_bits(g) || t->col_level[p] == NO_LEVEL || t->row_level[v] != t->col_level[p] + 1;
    }
    return offences;
}

struct edge_faults {
    uint64_t apart, leaving, reached;
};

/* Rules 3 and 4 for every input edge. Branch-free: levels are bytes, 255 for not reached. */
HOT static struct edge_faults check_levels(const uint32_t *restrict col, const uint32_t *restrict row, uint64_t count,
                                           const uint8_t *restrict col_level, const uint8_t *restrict row_level)
{
    struct edge_faults f = {0, 0, 0};
    for (uint64_t e = 0; e < count; e++) {
        int a = col_level[col[e]], b = row_level[row[e]];
        int both = (a != NO_LEVEL) & (b != NO_LEVEL);
        f.reached += (uint64_t)both;
        f.leaving += (uint64_t)((a != NO_LEVEL) ^ (b != NO_LEVEL));
        f.apart += (uint64_t)(both & ((unsigned)(a - b + 1) > 2));
    }
    return f;
}

/* Rule 5: marks the children whose tree edge is this input edge, in either direction. */
static void confirm(const struct edge_list *input, const struct tree *t, uint64_t *row_seen, uint64_t *col_seen)
{
    for (uint64_t e = 0; e < input->count; e++) {
        uint32_t u = input->col[e], v = input->row[e];
        if (t->row_parent[v] == u) bit_set(row_seen, v);
        if (t->col_parent[u] == v) bit_set(col_seen, u);
    }
}

/* Brings the marks of the peers along one axis to the owner. */
static void gather_marks(const struct graph *g, enum axis axis, const uint64_t *marks, const uint32_t *start,
                         uint64_t *own)
{
    struct net *net = g->net;
    int q = net->side;
    uint32_t words = words_for(g->own), all = start[q] / 64;
    struct message *out = take_zero((size_t)q * sizeof *out), *in = take_zero((size_t)q * sizeof *in);
    uint8_t *room = take((size_t)all * 8 + 8), *arrived = take((size_t)q * words * 8 + 8);
    for (int p = 0; p < q; p++) {
        const uint64_t *piece = marks + start[p] / 64;
        uint32_t n = (start[p + 1] - start[p]) / 64;
        out[p] = piece_encode(piece, n, count_bits(piece, n), room + (size_t)start[p] / 8);
        in[p] = (struct message){arrived + (size_t)p * words * 8, (int)(words * 8)};
    }
    net_exchange(net, axis, out, in);
    in[net_place(net, axis)] = out[net_place(net, axis)];
    for (int p = 0; p < q; p++) piece_decode_onto(in[p], own, words);
    free(room);
    free(arrived);
    free(out);
    free(in);
}

static uint64_t unconfirmed(const struct bfs *b, struct search_key key, const struct tree *t)
{
    const struct graph *g = b->graph;
    uint64_t *row_seen = take_zero((size_t)words_for(row_bits(g)) * 8 + 8);
    uint64_t *col_seen = take_zero((size_t)words_for(col_bits(g)) * 8 + 8);
    uint64_t *own = take_zero((size_t)words_for(g->own) * 8 + 8), offences = 0;
    confirm(&g->input, t, row_seen, col_seen);
    gather_marks(g, ALONG_ROW, row_seen, g->row_start, own);
    gather_marks(g, ALONG_COLUMN, col_seen, g->col_start, own);
    if ((int)key.owner == g->net->rank) bit_set(own, key.local);
    for (uint32_t v = 0; v < g->own; v++) offences += b->parent[v] != NO_PARENT && !bit_get(own, v);
    free(row_seen);
    free(col_seen);
    free(own);
    return offences;
}

struct verdict validate(const struct bfs *b, struct search_key key, const uint8_t *levels)
{
    const struct graph *g = b->graph;
    struct tree t;
    struct verdict v = {{0}, 0};
    tree_spread(&t, b, levels);
    struct edge_faults f = check_levels(g->input.col, g->input.row, g->input.count, t.col_level, t.row_level);
    v.broken[1] = own_offences(b, key, levels);
    v.broken[2] = level_steps(g, &t, key);
    v.broken[3] = f.apart;
    v.broken[4] = f.leaving;
    v.broken[5] = unconfirmed(b, key, &t);
    uint64_t sums[RULES + 1];
    memcpy(sums, v.broken + 1, RULES * sizeof *sums);
    sums[RULES] = f.reached;
    net_sum(g->net, sums, RULES + 1);
    memcpy(v.broken + 1, sums, RULES * sizeof *sums);
    v.edges_reached = sums[RULES];
    if (v.broken[2] > 0) v.broken[1] += chains_astray(b, key, &t);
    tree_free(&t, b);
    return v;
}

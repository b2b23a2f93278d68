/* Kernel 2: a breadth-first search by levels on a q x q grid of ranks, top-down or bottom-up as the frontier demands.

   A level takes four steps. Expand: the owners spread the frontier along their grid column, whose ranks hold its
   edges. Compute: each rank looks for neighbours of the frontier in its own block (traverse.c). Fold: what was found
   goes along the grid row to its owners, who merge it into the next frontier. Synchronise: a sum over all ranks tells
   whether to turn bottom-up, and when the search is over; from the first bottom-up level on the other messages tell.

   Sets of vertices are bitmaps of 64-bit words: `frontier` over the column block, `visited` and `found` over the row
   block, `next` over the own piece (blocks and pieces: graph.h). They travel as pieces.h encodes them. A parent is a
   32-bit number in the column block of the rank that found the child, and stays there until the end (parents.c). On one
   rank row block, column block and piece are one: `next` is `found`, nothing is copied.

   Sources: the two directions and when to turn, S. Beamer, K. Asanovic, D. Patterson, "Direction-optimizing
   breadth-first search", SC'12. Expand and fold on a grid, A. Yoo et al., "A scalable distributed parallel
   breadth-first search algorithm on BlueGene/L", SC'05; A. Buluc, K. Madduri, "Parallel breadth-first search on
   distributed memory systems", SC'11. Both at once, S. Beamer, A. Buluc, K. Asanovic, D. Patterson, "Distributed memory
   breadth-first search revisited", MTAAP'13; other than there, all columns of a row search bottom-up at the same time:
   several may find one vertex, and the fold chooses. */
#include "bfs.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "parents.h"
#include "phases.h"
#include "pieces.h"
#include "traverse.h"

/* Bottom-up once the frontier has more than 1/ALPHA of the edge ends that are left; back to top-down
   when it has fewer than 1/BETA of the vertices. Found by measuring scales 16 to 22. */
enum { ALPHA = 24, BETA = 200 };

/* How far a search is. All ranks agree on it until the first bottom-up level, the peak. From there on
   each chooses its own direction, for both find the same vertices, and messages tell when it ends. */
struct progress {
    uint64_t ends_left;
    int bottom_up, peaked;
    int found; /* the last level found something: once folded, in this grid row; from the next expand on, anywhere */
};

static uint64_t *bitmap(uint32_t bits) { return take_zero(((size_t)words_for(bits) + 8) * sizeof(uint64_t)); }

static uint32_t piece_words(const uint32_t *start, int p) { return (start[p + 1] - start[p]) / 64; }

static void open_messages(struct bfs *b)
{
    const struct graph *g = b->graph;
    size_t q = (size_t)g->net->side, own = words_for(g->own) + 1;
    b->row_in = take_zero(q * sizeof *b->row_in);
    b->row_out = take_zero(q * sizeof *b->row_out);
    b->col_in = take_zero(q * sizeof *b->col_in);
    b->won = take_zero(q * sizeof *b->won);
    b->room = take((words_for(row_bits(g)) + 1) * sizeof(uint64_t));
    for (int p = 0; p < (int)q; p++) {
        size_t row = piece_words(g->row_start, p) + 1;
        b->row_in[p].data = take((row > own ? row : own) * 8);
        b->col_in[p].data = take((piece_words(g->col_start, p) + 1) * sizeof(uint64_t));
        b->won[p] = bitmap(g->own);
    }
}

void bfs_open(struct bfs *b, const struct graph *g, struct trace *trace)
{
    *b = (struct bfs){.graph = g, .trace = trace};
    int alone = g->net->ranks == 1;
    b->visited = bitmap(row_bits(g));
    b->found = bitmap(row_bits(g));
    b->other = bitmap(row_bits(g));
    b->frontier = bitmap(col_bits(g));
    b->candidate = take(((size_t)row_bits(g) + 64) * sizeof *b->candidate);
    b->next = alone ? b->found : bitmap(g->own);
    if (!alone) open_messages(b);
    open_parents(b);
}

/* Level 0 needs no message: everybody knows the root, so its grid row and column mark it themselves. */
static void plant_root(struct bfs *b, struct search_key key)
{
    const struct graph *g = b->graph;
    int q = g->net->side, row = (int)key.owner / q, col = (int)key.owner % q;
    memset(b->visited, 0, words_for(row_bits(g)) * 8);
    memset(b->frontier, 0, words_for(col_bits(g)) * 8);
    memset(b->other, 0, words_for(row_bits(g)) * 8);
    if (q > 1)
        for (int p = 0; p < q; p++) memset(b->won[p], 0, words_for(g->own) * 8);
    if (col == g->net->col) bit_set(b->frontier, g->col_start[row] + key.local);
    if (row == g->net->row) bit_set(b->visited, g->row_start[col] + key.local);
}

/* The levels that the search claims, for validation. */
static void keep_level(struct bfs *b, int level, const uint64_t *bits)
{
    if (!b->keep_levels || level >= LEVELS_KEPT) return;
    if (!b->level_bits[level]) b->level_bits[level] = bitmap(b->graph->own);
    memcpy(b->level_bits[level], bits, words_for(b->graph->own) * 8);
}

static void keep_root_level(struct bfs *b, struct search_key key)
{
    const struct graph *g = b->graph;
    memset(b->next, 0, words_for(g->own) * 8);
    if ((int)key.owner == g->net->rank) bit_set(b->next, key.local);
    keep_level(b, 0, b->next);
}

/* The new frontier goes to the grid column, which expands it, and to the grid row, which need not
   discover it again. Goes in with whether the grid row found something, comes out with whether any did:
   every row has a rank in every column. */
static int expand(struct bfs *b, int found)
{
    const struct graph *g = b->graph;
    struct net *net = g->net;
    uint32_t words = words_for(g->own);
    if (net->side == 1) {
        memcpy(b->frontier, b->next, words * 8);
        return found;
    }
    for (int p = 0; p < net->side; p++) {
        b->row_in[p].bytes = piece_room(piece_words(g->row_start, p));
        b->col_in[p].bytes = piece_room(piece_words(g->col_start, p));
    }
    net_spread(net, piece_encode(b->next, words, found, b->room), b->row_in, b->col_in);
    memcpy(b->frontier + g->col_start[net->row] / 64, b->next, words * 8);
    for (int p = 0; p < net->side; p++) {
        if (p != net->row) {
            piece_decode(b->col_in[p], b->frontier + g->col_start[p] / 64, piece_words(g->col_start, p));
            found |= b->col_in[p].bytes > 0;
        }
        if (p != net->col)
            piece_decode_onto(b->row_in[p], b->visited + g->row_start[p] / 64, piece_words(g->row_start, p));
    }
    return found;
}

/* Of several columns that found a vertex one wins: the own one, else the first after it. */
static void merge(struct bfs *b, int from)
{
    const struct graph *g = b->graph;
    uint32_t words = words_for(g->own);
    uint64_t *visited = b->visited + g->row_start[g->net->col] / 64, *won = b->won[from];
    uint64_t *claims = b->row_in[from].data;
    if (piece_is_empty(b->row_in[from])) return;
    if (b->row_in[from].bytes < words * 8) {
        uint64_t *wide = (uint64_t *)(void *)b->room; /* sends are complete: the room is free */
        piece_decode(b->row_in[from], wide, words);
        claims = wide;
    }
    for (uint32_t w = 0; w < words; w++) {
        uint64_t fresh = claims[w] & ~visited[w];
        visited[w] |= fresh;
        b->next[w] |= fresh;
        won[w] |= fresh;
    }
}

/* Each owner learns which of its vertices the ranks of its grid row discovered. Parents stay where
   they were found until the end of the search: then each travels once, and not once per finder.
   Returns whether the grid row found something: for any of its owners, so all its ranks agree. */
static int fold(struct bfs *b)
{
    const struct graph *g = b->graph;
    struct net *net = g->net;
    int q = net->side, found = count_bits(b->found, words_for(row_bits(g))) > 0;
    if (q == 1) return found;
    for (int p = 0; p < q; p++) {
        uint32_t at = g->row_start[p] / 64, words = piece_words(g->row_start, p);
        b->row_in[p].bytes = piece_room(words_for(g->own));
        if (p != net->col) b->row_out[p] = piece_encode(b->found + at, words, found, b->room + at * 8);
    }
    net_exchange(net, ALONG_ROW, b->row_out, b->row_in);
    memcpy(b->next, b->found + g->row_start[net->col] / 64, words_for(g->own) * 8);
    for (int step = 1; step < q; step++) {
        int from = (net->col + step) % q;
        found |= b->row_in[from].bytes > 0;
        merge(b, from);
    }
    return found;
}

static uint64_t ends_of(const struct graph *g, const uint64_t *bits)
{
    uint64_t ends = 0;
    uint32_t words = words_for(g->own);
    for (uint32_t w = 0; w < words; w++)
        for (uint64_t left = bits[w]; left; left &= left - 1)
            ends += g->own_degree[w * 64 + (uint32_t)__builtin_ctzll(left)];
    return ends;
}

/* Agrees on the edge ends of the new frontier, so on the direction of the next level; no vertex is
   without any, so also on the end. */
static void synchronise(struct bfs *b, struct progress *p)
{
    const struct graph *g = b->graph;
    uint64_t ends = ends_of(g, b->next);
    net_sum(g->net, &ends, 1);
    p->found = ends > 0;
    p->bottom_up = p->peaked = ends * ALPHA > p->ends_left;
    p->ends_left -= ends < p->ends_left ? ends : p->ends_left;
}

/* A grid column's part is a random sample of the frontier. */
static int frontier_is_large(const struct bfs *b)
{
    const struct graph *g = b->graph;
    uint64_t part = count_bits(b->frontier, words_for(col_bits(g)));
    return part * (uint64_t)g->net->side * BETA >= g->vertices_left;
}

/* One level whose frontier is in place, and the expand of the next. */
static void run_level(struct bfs *b, struct progress *p, int level, struct mark *mark)
{
    const struct graph *g = b->graph;
    struct trace *t = b->trace;
    struct mark m = *mark;
    if (p->bottom_up) traverse_bottom_up(g, b->frontier, b->visited, b->found, b->other, b->candidate);
    else traverse_top_down(g, b->frontier, b->visited, b->found, b->other, b->candidate);
    m = trace_end(t, m, COMPUTE);
    p->found = fold(b);
    m = trace_end(t, m, FOLD);
    keep_level(b, level + 1, b->next);
    if (p->peaked) {
        p->found = expand(b, p->found);
        p->bottom_up = frontier_is_large(b);
    } else {
        synchronise(b, p);
        m = trace_end(t, m, SYNCHRONISE);
        if (p->found) expand(b, p->found);
    }
    trace_set(t, LEVEL, level + 1);
    *mark = trace_end(t, m, EXPAND);
}

void bfs_run(struct bfs *b, struct search_key key)
{
    const struct graph *g = b->graph;
    struct progress p = {.found = 1, .ends_left = g->ends_left};
    struct trace *t = b->trace;
    struct mark mark = trace_begin(t);
    trace_set(t, LEVEL, 0);
    plant_root(b, key);
    keep_root_level(b, key);
    mark = trace_end(t, mark, EXPAND);
    int level = 0;
    for (; p.found; level++) run_level(b, &p, level, &mark);
    b->levels = level;
    settle_parents(b, key);
    trace_end(t, mark, FOLD);
    trace_clear(t, LEVEL);
}

uint64_t bfs_edges_reached(const struct bfs *b)
{
    const struct graph *g = b->graph;
    uint32_t words = words_for(row_bits(g));
    uint64_t ends = 0;
    for (uint32_t w = 0; w < words; w++)
        for (uint64_t left = b->visited[w]; left; left &= left - 1)
            ends += g->row_degree[w * 64 + (uint32_t)__builtin_ctzll(left)];
    net_sum(g->net, &ends, 1);
    return ends / 2;
}

void bfs_close(struct bfs *b)
{
    int alone = b->graph->net->ranks == 1;
    for (int p = 0; !alone && p < b->graph->net->side; p++) {
        free(b->row_in[p].data);
        free(b->col_in[p].data);
        free(b->won[p]);
    }
    for (int l = 0; l < LEVELS_KEPT; l++) free(b->level_bits[l]);
    if (!alone) free(b->next);
    free(b->narrow);
    free(b->wide);
    free(b->row_in);
    free(b->row_out);
    free(b->col_in);
    free(b->won);
    free(b->room);
    free(b->visited);
    free(b->found);
    free(b->other);
    free(b->frontier);
    free(b->candidate);
}

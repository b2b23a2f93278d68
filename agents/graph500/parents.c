/* The parents' way home: once per search, each from the rank that found it to the rank that owns the child, and into
   the result of the specification, one label per vertex in the generated numbering.

   During the search an owner learns only that a vertex was found, and by which grid column; won[p] marks those whose
   parent column p knows. Here it sends each column of its grid row that bitmap (pieces.h), and gets back the names of
   the parents (layout.h) of the marked vertices alone, in ascending order, in as many bytes as the answering column's
   names need, little end first. A vertex found by several columns thus sends one parent, not one per finder.
   On one rank nothing travels; there a table of what nearly all parents are spares most translations.
   Out: the result in b->narrow or b->wide. What has no edges is never reached: its -1 stands from the beginning. The
   rest is written in every search. Vertices of one degree are numbered by rising label (relabel.c), so writes by
   ascending vertex go through the result in a few score ascending streams, which caches serve well. */
#include "parents.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "pieces.h"

void open_parents(struct bfs *b)
{
    size_t labels = (size_t)layout_own_size(&b->graph->layout);
    if (b->graph->scale < 32) b->narrow = take((labels + 16) * sizeof *b->narrow);
    else b->wide = take((labels + 8) * sizeof *b->wide);
    for (size_t i = 0; i < labels; i++) bfs_set_parent(b, i, NO_PARENT);
}

static int width_of_column(const struct graph *g, int col)
{
    return (layout_naming(&g->layout, col).name_bits + 7) / 8;
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
        b->row_in[p].bytes = words * 8;
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
    int width = width_of_column(g, g->net->col);
    uint8_t *data = take(count_bits(wanted, words) * (size_t)width + 8), *out = data;
    for (uint32_t w = 0; w < words; w++)
        for (uint64_t left = wanted[w]; left; left &= left - 1, out += width)
            memcpy(out, &g->name[b->candidate[start + w * 64 + (uint32_t)__builtin_ctzll(left)]],
                   4); /* the next covers the rest */
    return (struct message){data, (uint64_t)(out - data)};
}

/* Parents that a column found, as they are read one after the other. */
struct names {
    const uint8_t *next;
    int width;
    uint32_t mask;
    struct naming naming;
};

static struct names names_of(const struct graph *g, int col, const uint8_t *data)
{
    int width = width_of_column(g, col);
    return (struct names){data, width, width < 4 ? (1u << 8 * width) - 1 : UINT32_MAX, layout_naming(&g->layout, col)};
}

static inline int64_t next_label(const struct layout *l, struct names *n)
{
    uint32_t name;
    memcpy(&name, n->next, sizeof name);
    n->next += n->width;
    return (int64_t)label_of(l, n->naming, name & n->mask);
}

/* Bits of a word of the piece that stand for vertices. */
static inline uint64_t own_bits(const struct graph *g, uint32_t w)
{
    return w == g->own / 64 ? ((uint64_t)1 << g->own % 64) - 1 : ~(uint64_t)0;
}

/* The result of the own piece from what the own column found and what the others answered, by ascending vertex. */
static void write_parents(struct bfs *b, struct names *from)
{
    const struct graph *g = b->graph;
    const struct layout *l = &g->layout;
    int q = g->net->side, here = g->net->col;
    const uint64_t *visited = b->visited + g->row_start[here] / 64;
    const uint32_t *candidate = b->candidate + g->row_start[here];
    struct naming own = from[here].naming;
    for (uint32_t w = 0; w < words_for(g->own); w++) {
        const uint32_t *position = g->position + (size_t)w * 64;
        uint64_t mine = visited[w];
        for (int p = 0; p < q; p++)
            for (uint64_t left = p == here ? 0 : b->won[p][w]; left; left &= left - 1) {
                bfs_set_parent(b, position[__builtin_ctzll(left)], next_label(l, &from[p]));
                mine &= ~(left & -left);
            }
        for (uint64_t left = mine; left; left &= left - 1) {
            int v = __builtin_ctzll(left);
            uint32_t name = g->name[candidate[w * 64 + (uint32_t)v]];
            bfs_set_parent(b, position[v], (int64_t)label_of(l, own, name));
        }
        uint64_t lost = ~visited[w] & own_bits(g, w);
        for (; lost; lost &= lost - 1) bfs_set_parent(b, position[__builtin_ctzll(lost)], NO_PARENT);
    }
}

static void settle_on_grid(struct bfs *b)
{
    const struct graph *g = b->graph;
    struct net *net = g->net;
    int q = net->side;
    uint64_t *wanted[q];
    struct message in[q];
    struct names names[q];
    ask(b, wanted);
    for (int p = 0; p < q; p++) {
        names[p] = names_of(g, p, NULL);
        if (p == net->col) continue;
        size_t bytes = count_bits(b->won[p], words_for(g->own)) * (size_t)names[p].width;
        in[p] = (struct message){take(bytes + 8), bytes};
        names[p].next = in[p].data;
        b->row_out[p] = answer(b, wanted[p], p);
    }
    net_exchange(net, ALONG_ROW, b->row_out, in);
    write_parents(b, names);
    for (int p = 0; p < q; p++) {
        free(wanted[p]);
        if (p == net->col) continue;
        free(in[p].data);
        free(b->row_out[p].data);
    }
}

/* On one rank a name is a label, of at most 30 bits. Nearly all vertices hang from the first of their list, their
   neighbour of highest degree: so the table of those is copied whole, and the others are corrected. */
static void settle_alone(struct bfs *b)
{
    const struct graph *g = b->graph;
    memcpy(b->narrow, g->best, (size_t)layout_own_size(&g->layout) * sizeof *b->narrow);
    for (uint32_t w = 0; w < words_for(g->own); w++) {
        const uint32_t *position = g->position + (size_t)w * 64, *candidate = b->candidate + (size_t)w * 64;
        for (uint64_t left = b->other[w]; left; left &= left - 1) {
            int v = __builtin_ctzll(left);
            b->narrow[position[v]] = (int32_t)g->name[candidate[v]];
        }
        uint64_t lost = ~b->visited[w] & own_bits(g, w);
        for (; lost; lost &= lost - 1) b->narrow[position[__builtin_ctzll(lost)]] = NO_PARENT;
    }
}

/* The root is found by nobody: its candidate is from an earlier search, or nothing. */
void settle_parents(struct bfs *b, struct search_key key)
{
    const struct graph *g = b->graph;
    int mine = (int)key.owner == g->net->rank;
    if (mine) b->candidate[g->row_start[g->net->col] + key.local] = g->col_start[g->net->row] + key.local;
    if (g->net->side > 1) settle_on_grid(b);
    else settle_alone(b);
    if (mine) bfs_set_parent(b, own_index(&g->layout, key.label), (int64_t)key.label);
}

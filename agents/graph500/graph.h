/* The distributed graph as one rank holds it.
   Second numbering: each owner orders its vertices by falling degree and drops those without edges;
   its share ("piece") is then 0 .. own-1. Row and column blocks are the pieces of the grid row or
   column one after the other, each padded to whole 64-bit words so that bitmaps can be copied. */
#ifndef G500_GRAPH_H
#define G500_GRAPH_H
#include <stddef.h>
#include <stdint.h>

#include "layout.h"
#include "net.h"

struct search_key {
    uint64_t label; /* vertex number of the generated graph */
    uint32_t owner; /* rank */
    uint32_t local; /* number in the owner's piece */
};

/* What is to be run on a graph, as a set of bits. */
enum kernel { KERNEL_BFS = 1, KERNEL_SSSP = 2 };

struct graph {
    struct net *net;
    int scale, edge_factor;
    int kernels; /* which it is made for; arrays that none of these needs are NULL */
    uint64_t seed;
    struct layout layout;

    uint32_t *own_of;              /* per rank of world: vertices in its piece */
    uint32_t own;                  /* own_of[this rank] */
    uint32_t *row_start;           /* q + 1 first bits of the pieces in the row block */
    uint32_t *col_start;           /* the same for the column block */
    uint32_t *by_row_ptr, *by_row; /* per row-block vertex: column-block neighbours, best first, no repeats */
    uint32_t *by_col_ptr, *by_col; /* per column-block vertex: row-block neighbours; on one rank the same arrays */
    uint32_t *arc_ptr;             /* per column-block vertex, for kernel 3: its arcs, */
    uint64_t *arcs;                /* the lightest first (arcs.h) */
    uint64_t *row_nonempty;        /* bitmap of rows with neighbours here */
    uint32_t *row_degree;          /* input edge ends here per row-block vertex, repeats included; of a self-loop both,
                                      on its owner */
    uint32_t *own_degree;          /* the same over the whole grid row, per own vertex; rounded above 31 */
    uint32_t *name;                /* per column-block vertex: its label, as layout.h packs it */
    uint32_t *position;            /* per own vertex: its own_index (layout.h); on one rank `name` */
    int32_t *best;          /* on one rank, per label: the label of the first in by_row, -1 where there is none */
    uint64_t vertices_left; /* vertices with edges, whole graph */
    uint64_t ends_left;     /* sum of own_degree, whole graph */

    struct search_key *keys;
    uint32_t key_count;
    int keys_exhausted; /* the graph has no further search key */

    void *mapping; /* a cached part, read-only, that holds the arrays above; NULL: each is on the heap */
    size_t mapping_bytes;
};

static inline uint32_t words_for(uint32_t bits) { return (bits + 63) / 64; }
static inline uint32_t row_bits(const struct graph *g) { return g->row_start[g->net->side]; }
static inline uint32_t col_bits(const struct graph *g) { return g->col_start[g->net->side]; }
static inline int bit_get(const uint64_t *bits, uint32_t i) { return (int)(bits[i / 64] >> (i % 64) & 1); }
static inline void bit_set(uint64_t *bits, uint32_t i) { bits[i / 64] |= (uint64_t)1 << (i % 64); }

/* Start of the piece of grid row `row` in the column block of grid column `col`, and the converse. */
uint32_t graph_col_start(const struct graph *g, int col, int row);
uint32_t graph_row_start(const struct graph *g, int row, int col);

/* Fills row_start and col_start from own_of. */
void graph_place_pieces(struct graph *g);

/* Fills position and best; again, if names or lists were changed. */
void graph_place_results(struct graph *g);

/* Fills what can be derived from the adjacency arrays and the names. */
void graph_derive(struct graph *g);

void graph_free(struct graph *g);

#endif

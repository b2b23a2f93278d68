/* The distributed graph as one rank holds it.

   A vertex belongs to the rank that its id hashes to (owner_of), so hubs are spread over all. Three numbers name it:
     id       what the files say, 0 .. 2^63-1
     ordinal  its place among all ids in ascending order: the same for any number of ranks. Who read which ordinals'
              ids keeps them (`ids`), so results become ids, and lines in order, there.
     index    32 bits, on this rank: own vertices are 0 .. own-1 by falling degree (those without edges last), copies of
              others' vertices that own ones are joined to ("ghosts") follow from `ghosts_from` on, grouped by owner, in
              the owner's order. Groups begin at multiples of 64, so that bitmaps can be cut; indices between are empty.
   Neighbours are lists of indices: those of v are to[ptr[v]] up to to[ptr[v + 1]]. */
#ifndef GA_GRAPH_H
#define GA_GRAPH_H
#include <stddef.h>
#include <stdint.h>

#include "net.h"

#define NO_INDEX UINT32_MAX

struct lists {
    uint64_t *ptr;
    uint32_t *to;
};

struct graph {
    struct net *net;
    int directed, weighted;   /* weighted: `weight` is there, `in` and `out` are not */
    uint64_t vertices, edges; /* of the whole graph; an undirected edge counts once */

    uint32_t own, busy;        /* busy: own vertices with an edge; they come first */
    uint32_t ghosts_from, all; /* all: one past the last index */
    uint32_t *own_of;          /* per rank */
    uint32_t *ordinal;         /* per own vertex */
    uint32_t *ghost_start;     /* per rank: first index of its group; ghost_count of them are vertices */
    uint32_t *ghost_count;
    uint32_t *copy_start,
        *copy; /* per rank: own vertices that it has as ghosts, in its order; copy_start has ranks + 1 */

    struct lists in;     /* per own vertex: where its edges come from, ascending */
    struct lists out;    /* per own vertex: where they go, ascending; the same arrays where undirected */
    struct lists spread; /* per any index: own vertices that its edges go to; the same as `out` on one rank */
    double *weight;      /* of spread.to */

    /* Once the cut is covered (cover.h), else NULL: */
    struct lists back;    /* per ghost: own vertices whose edges to it this rank works on */
    uint32_t *out_degree; /* per own vertex */

    uint64_t *ids;         /* of the ordinals block_start[rank] .. block_start[rank + 1] - 1 */
    uint64_t *block_start; /* ranks + 1 */

    void *cached; /* a part from disk that holds the arrays above; NULL: each has memory of its own */
};

/* Spreads the bits of an id; owners and tables of ids take different ones. */
static inline uint64_t id_hash(uint64_t id)
{
    uint64_t x = (id + 0x9e3779b97f4a7c15u) * 0xd1342543de82ef95u;
    x ^= x >> 32;
    x *= 0xa0761d6478bd642fu;
    return x ^ x >> 29;
}

static inline int owner_of(uint64_t hash, int ranks) { return (int)((hash >> 32) * (uint64_t)ranks >> 32); }

static inline uint64_t degree_of(const struct lists *l, uint32_t v) { return l->ptr[v + 1] - l->ptr[v]; }

enum { AHEAD = 8 };

/* The one of so many vertices whose turn it is. Their lists lie anywhere, so those that follow are fetched. */
static inline uint32_t take_next(const struct lists *l, const uint32_t *vertex, uint64_t k, uint64_t count)
{
    if (k + 2 * AHEAD < count) {
        __builtin_prefetch(&l->to[l->ptr[vertex[k + AHEAD]]]);
        __builtin_prefetch(&l->ptr[vertex[k + 2 * AHEAD]]);
    }
    return vertex[k];
}

static inline uint32_t copies_of(const struct graph *g, int rank)
{
    return g->copy_start[rank + 1] - g->copy_start[rank];
}

/* The rank in whose group a place is: groups follow each other, `start` has where each begins. */
static inline int rank_holding(const uint32_t *start, int ranks, uint32_t place)
{
    int low = 0, high = ranks;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (start[middle] <= place) low = middle;
        else high = middle;
    }
    return low;
}

static inline size_t words_for(uint64_t bits) { return (size_t)((bits + 63) / 64); }
static inline uint32_t whole_words(uint32_t bits) { return (bits + 63) / 64 * 64; }
static inline int bit_get(const uint64_t *bits, uint32_t i) { return (int)(bits[i / 64] >> (i % 64) & 1); }
static inline void bit_set(uint64_t *bits, uint32_t i) { bits[i / 64] |= (uint64_t)1 << (i % 64); }

/* Bits of a word that stand for indices below `end`. */
static inline uint64_t bits_below(uint32_t end, uint32_t word)
{
    uint32_t first = word * 64;
    if (end <= first) return 0;
    return end - first < 64 ? ((uint64_t)1 << (end - first)) - 1 : ~(uint64_t)0;
}

/* The rank that keeps the id of an ordinal, or on whose group a ghost's index falls. */
int graph_block_of(const struct graph *g, uint32_t ordinal);

/* The ids of `count` ordinals; call on all ranks. */
void graph_ids_of(const struct graph *g, const uint32_t *ordinals, uint64_t count, uint64_t *ids);

/* The owner of an id and its index there; false on all ranks where no vertex has it. Call on all ranks. */
int graph_find(const struct graph *g, uint64_t id, int *owner, uint32_t *index);

/* Where the groups of ghosts begin; fills ghosts_from and all. */
void graph_place_ghosts(struct graph *g);

void graph_free(struct graph *g);

#endif

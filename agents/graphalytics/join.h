/* Union and find: a part is named by its smallest index, and the higher of two roots is hung below the lower one, so
   whatever threads do the end is the same. */
#ifndef GA_JOIN_H
#define GA_JOIN_H

#include "graph.h"

static inline uint32_t part_of(const uint32_t *part, uint32_t v)
{
    while (part[v] != v) v = part[v];
    return v;
}

/* Threads may meet in a part: what one reads has been true, and a root is hung by one only. `threaded` is a constant,
   so that one thread does without all this. */
static inline uint32_t above_of(const uint32_t *part, uint32_t v, int threaded)
{
    return threaded ? __atomic_load_n(&part[v], __ATOMIC_RELAXED) : part[v];
}

static inline uint32_t root_of(const uint32_t *part, uint32_t v, int threaded)
{
    for (uint32_t above; (above = above_of(part, v, threaded)) != v; v = above) {
    }
    return v;
}

/* Whether it was a root still. */
static inline int hang(uint32_t *part, uint32_t root, uint32_t below, int threaded)
{
    if (threaded) return __atomic_compare_exchange_n(&part[root], &root, below, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    part[root] = below;
    return 1;
}

static inline void join(uint32_t *part, uint32_t u, uint32_t v, int threaded)
{
    uint32_t a = above_of(part, u, threaded), b = above_of(part, v, threaded);
    while (a != b) {
        uint32_t high = a > b ? a : b, low = a > b ? b : a, above = above_of(part, high, threaded);
        if (above == high && hang(part, high, low, threaded)) return;
        if (above == low) return;
        a = above_of(part, above, threaded);
        b = above_of(part, low, threaded);
    }
}

/* The parts that a rank's edges join its vertices and ghosts to; a ghost that none joined is its own. `lowest`: each
   busy vertex's first neighbour in `in` where that has a smaller index, else itself. An edge is seen from both ends, so
   the largest part's may be left to the others; edges between giants are left to giants.c. Which vertices are looked at
   does not depend on the order of unions. Returns a vertex of the largest part; `outside` gets the busy ones outside
   it, in ascending order, and has room for all. */
uint32_t join_here(const struct graph *g, const uint32_t *lowest, uint32_t *part, uint32_t *outside,
                   uint32_t *outside_count);

#endif

/* The threads of a rank, as --threads says; one where the compiler has no OpenMP. Functions that are HOT stand outside
   of parallel regions: the loader cannot choose among what the compiler moves out of them. */
#ifndef GA_TEAM_H
#define GA_TEAM_H

#include "graph.h"

#ifdef _OPENMP
#include <omp.h>
/* Starts them: no run has that in its time. */
static inline void team_open(int threads)
{
    omp_set_num_threads(threads);
#pragma omp parallel if (threads > 1)
    (void)omp_get_thread_num();
}
static inline int team_size(void) { return omp_get_max_threads(); }
static inline int team_place(void) { return omp_get_thread_num(); }
#else
static inline void team_open(int threads) { (void)threads; }
static inline int team_size(void) { return 1; }
static inline int team_place(void) { return 0; }
#endif

enum { MAX_THREADS = 256, PIECES_PER_THREAD = 32 };

/* In how many pieces vertices are cut, so that threads end at about the same time. */
static inline int team_pieces(void) { return team_size() == 1 ? 1 : team_size() * PIECES_PER_THREAD; }

/* How many of `count` are in a piece. */
static inline uint32_t team_piece(uint32_t count) { return count / (uint32_t)team_pieces() + 1; }

/* The first of `count` vertices that is in a piece; pieces have as many vertices and entries of lists together. */
static inline uint32_t piece_begins(const uint64_t *ptr, uint32_t count, int piece, int pieces)
{
    uint32_t low = 0, high = count;
    uint64_t goal = (ptr[count] + count) / (uint64_t)pieces * (uint64_t)piece;
    if (piece == pieces) return count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (ptr[middle] + middle < goal) low = middle + 1;
        else high = middle;
    }
    return low;
}

#endif

/* Who owns which vertex on the q x q grid.
   A label of s bits splits into an upper half a and a lower half b; the grid row i follows from the
   range that a falls in, the grid column j from the range of b. The owner is rank (i, j). Labels are
   permuted at random, so the rectangles are balanced, and both tests are comparisons with constants.
   Adjacency entry u -> v lives on (row of v, column of u): so the ranks of a grid row own between
   them what they discover, and the ranks of a grid column what they expand, without a transposition. */
#ifndef G500_LAYOUT_H
#define G500_LAYOUT_H
#include <stdint.h>

#include "net.h"

struct span {
    uint64_t first, count;
};

struct layout {
    int scale, side, lower_bits;
    struct span row, col; /* this rank's ranges of a and of b */
};

void layout_open(struct layout *l, int scale, const struct net *net);

struct span layout_upper_span(const struct layout *l, int row);
struct span layout_lower_span(const struct layout *l, int col);

/* Vertices in this rank's row block, column block and in its own share. */
static inline uint64_t layout_row_size(const struct layout *l) { return l->row.count << l->lower_bits; }
static inline uint64_t layout_col_size(const struct layout *l) { return l->col.count << (l->scale - l->lower_bits); }

static inline uint64_t upper_of(const struct layout *l, uint64_t v) { return v >> l->lower_bits; }
static inline uint64_t lower_of(const struct layout *l, uint64_t v) { return v & (((uint64_t)1 << l->lower_bits) - 1); }

static inline int in_span(struct span s, uint64_t x) { return x - s.first < s.count; }

/* First numbering: position of a vertex in this rank's row block or column block. */
static inline uint64_t row_index(const struct layout *l, uint64_t v) { return v - (l->row.first << l->lower_bits); }
static inline uint64_t col_index(const struct layout *l, uint64_t v)
{
    return upper_of(l, v) * l->col.count + (lower_of(l, v) - l->col.first);
}

#endif

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

/* A label as the ranks of a grid column tell it each other, in 32 bits: the upper half, and where in the column's range
   the lower half is. */
struct naming {
    int bits;       /* of the lower part */
    int name_bits;  /* of a whole name */
    uint64_t first; /* of the column's range */
};

void layout_open(struct layout *l, int scale, const struct net *net);

struct span layout_upper_span(const struct layout *l, int row);
struct span layout_lower_span(const struct layout *l, int col);

struct naming layout_naming(const struct layout *l, int col);

/* The rank that owns a label. */
int layout_owner(const struct layout *l, uint64_t label);

/* Vertices in this rank's row block, column block and in its own share. */
static inline uint64_t layout_row_size(const struct layout *l) { return l->row.count << l->lower_bits; }
static inline uint64_t layout_col_size(const struct layout *l) { return l->col.count << (l->scale - l->lower_bits); }

/* Vertices that a rank owns, with edges or without; it keeps their results by upper half, then by lower. */
static inline uint64_t layout_own_size(const struct layout *l) { return l->row.count * l->col.count; }

static inline uint64_t upper_of(const struct layout *l, uint64_t v) { return v >> l->lower_bits; }
static inline uint64_t lower_of(const struct layout *l, uint64_t v) { return v & (((uint64_t)1 << l->lower_bits) - 1); }

static inline int in_span(struct span s, uint64_t x) { return x - s.first < s.count; }

/* First numbering: position of a vertex in this rank's row block or column block. */
static inline uint64_t row_index(const struct layout *l, uint64_t v) { return v - (l->row.first << l->lower_bits); }
static inline uint64_t col_index(const struct layout *l, uint64_t v)
{
    return upper_of(l, v) * l->col.count + (lower_of(l, v) - l->col.first);
}

/* Place of a label among those of its owner, which is this rank, and the converse. */
static inline uint64_t own_index(const struct layout *l, uint64_t v)
{
    return (upper_of(l, v) - l->row.first) * l->col.count + (lower_of(l, v) - l->col.first);
}

static inline uint64_t own_label(const struct layout *l, uint64_t index)
{
    return (l->row.first + index / l->col.count) << l->lower_bits | (l->col.first + index % l->col.count);
}

static inline uint32_t name_of(struct naming n, uint64_t upper, uint64_t lower)
{
    return (uint32_t)(upper << n.bits | (lower - n.first));
}

static inline uint64_t label_of(const struct layout *l, struct naming n, uint32_t name)
{
    uint64_t lower = n.first + (name & (((uint64_t)1 << n.bits) - 1));
    return ((uint64_t)name >> n.bits) << l->lower_bits | lower;
}

#endif

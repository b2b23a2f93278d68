/* Kronecker edges and their weights (Graph500 specification 3.0, section 3): edge k depends on seed, scale and k alone.
 */
#ifndef G500_GENERATOR_H
#define G500_GENERATOR_H
#include <stdint.h>

#include "random.h"

enum { EDGE_BLOCK = 1024 }; /* edges made at once; the three arrays stay in the first-level cache */

struct generator {
    int scale;
    uint64_t seed;
    int weighted; /* blocks have weights */
    struct bijection labels;
    uint64_t keyed_for; /* upper half of the edge numbers that the keys below belong to */
    uint32_t start, multiply[32], add[32];
};

/* End points of one block; the upper halves are used only above scale 32. */
struct edge_block {
    uint32_t mixed[EDGE_BLOCK], u[EDGE_BLOCK], v[EDGE_BLOCK], u_high[EDGE_BLOCK], v_high[EDGE_BLOCK];
    float weight[EDGE_BLOCK]; /* uniform in [0, 1), of 24 random bits */
};

void generator_open(struct generator *g, int scale, uint64_t seed, int weighted);

/* Edges first .. first+count-1, count <= EDGE_BLOCK, with permuted labels. */
void generator_block(struct generator *g, uint64_t first, int count, struct edge_block *block);

static inline uint64_t block_u(const struct edge_block *b, int e, int scale)
{
    return scale > 32 ? (uint64_t)b->u_high[e] << 32 | b->u[e] : b->u[e];
}

static inline uint64_t block_v(const struct edge_block *b, int e, int scale)
{
    return scale > 32 ? (uint64_t)b->v_high[e] << 32 | b->v[e] : b->v[e];
}

#endif

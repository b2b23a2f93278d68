/* Edges of a Kronecker graph, in blocks and in any order: edge k is a function of seed, scale and k alone.

   Each of `scale` levels picks a quadrant of the adjacency matrix with probability A = .57, B = .19, C = .19, D = .05
   and appends one bit to either label. Labels are then permuted, by a keyed bijection (random.h) instead of a table;
   edges need no shuffling, for each is drawn by itself. Random numbers are counted, not streamed: the lower 32 bits
   of k are mixed once, then hashed anew with the keys of each pair of levels, 16 bits for each level's choice, and with
   the last keys for the weight. Upper bits of k choose the keys.
   In memory a block is arrays of 32-bit lanes, one per edge, so that compilers turn every loop into vectors; the bits
   of a label above the 32nd, from levels 32 on, are in arrays of their own.

   Sources: Graph500 specification 3.0, section 3. J. Leskovec, D. Chakrabarti, J. Kleinberg, C. Faloutsos,
   "Realistic, mathematically tractable graph generation and evolution, using Kronecker multiplication", PKDD'05, of
   which this is the 2 x 2 case, known as R-MAT (D. Chakrabarti, Y. Zhan, C. Faloutsos, SDM'04). Counted random
   numbers: J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC'11. The constants
   of the 32-bit mixers: C. Wellons, "Prospecting for hash functions", 2018. */
#include "generator.h"

#include <string.h>

#include "hot.h"

/* Quadrant thresholds A, A+B, A+B+C in 1/65536: off by less than 1e-5 from .57, .76, .95. */
enum { T_A = 37356, T_AB = 49807, T_ABC = 62259 };

enum { STREAM_LABELS = 1, STREAM_LEVELS = 2, WEIGHT_KEYS = 31 /* 40 levels take the first 20 */ };

static void key_levels(struct generator *g, uint64_t upper)
{
    g->keyed_for = upper;
    g->start = (uint32_t)random_word(g->seed, STREAM_LEVELS, upper << 8);
    for (unsigned pair = 0; pair < 32; pair++) {
        uint64_t word = random_word(g->seed, STREAM_LEVELS, upper << 8 | (pair + 1));
        g->multiply[pair] = (uint32_t)word | 1;
        g->add[pair] = (uint32_t)(word >> 32);
    }
}

void generator_open(struct generator *g, int scale, uint64_t seed, int weighted)
{
    g->weighted = weighted;
    g->scale = scale;
    g->seed = seed;
    g->labels = bijection_make(seed, STREAM_LABELS, scale);
    key_levels(g, 0);
}

HOT static void mix_numbers(uint32_t *restrict mixed, uint32_t first, uint32_t start, int count)
{
    for (int e = 0; e < count; e++) {
        uint32_t x = (first + (uint32_t)e) ^ start;
        x ^= x >> 16;
        x *= 0x7feb352du;
        x ^= x >> 15;
        x *= 0x846ca68bu;
        mixed[e] = x;
    }
}

/* One quadrant decision appended to both labels. `r` has 16 random bits; the sign bit of
   (threshold - 1 - r) tells r >= threshold, which keeps the loop free of branches and masks. */
#define DECIDE(r, u, v)                                                                    \
    do {                                                                                   \
        uint32_t past_a = (uint32_t)(T_A - 1) - (r), past_ab = (uint32_t)(T_AB - 1) - (r); \
        uint32_t past_abc = (uint32_t)(T_ABC - 1) - (r);                                   \
        (u) = 2 * (u) + (past_ab >> 31);                                                   \
        (v) = 2 * (v) + ((past_a ^ past_ab ^ past_abc) >> 31);                             \
    } while (0)

#define DRAW(x, multiply, add)             \
    uint32_t y = (x) * (multiply) + (add); \
    y ^= y >> 16;                          \
    y *= 0x21f0aaadu;                      \
    y ^= y >> 15;                          \
    y *= 0xd35a2d97u;                      \
    y ^= y >> 15

HOT static void two_levels(const uint32_t *restrict mixed, uint32_t multiply, uint32_t add, uint32_t *restrict us,
                           uint32_t *restrict vs, int count)
{
    for (int e = 0; e < count; e++) {
        DRAW(mixed[e], multiply, add);
        uint32_t low = y & 0xffff, high = y >> 16, u = us[e], v = vs[e];
        DECIDE(low, u, v);
        DECIDE(high, u, v);
        us[e] = u;
        vs[e] = v;
    }
}

HOT static void one_level(const uint32_t *restrict mixed, uint32_t multiply, uint32_t add, uint32_t *restrict us,
                          uint32_t *restrict vs, int count)
{
    for (int e = 0; e < count; e++) {
        DRAW(mixed[e], multiply, add);
        uint32_t low = y & 0xffff, u = us[e], v = vs[e];
        DECIDE(low, u, v);
        us[e] = u;
        vs[e] = v;
    }
}

HOT static void draw_weights(const uint32_t *restrict mixed, uint32_t multiply, uint32_t add, float *restrict weight,
                             int count)
{
    for (int e = 0; e < count; e++) {
        DRAW(mixed[e], multiply, add);
        weight[e] = (float)(y >> 8) * 0x1p-24f;
    }
}

/* bijection_apply in 32-bit lanes: for up to 32 bits the lower halves of keys and products suffice. */
HOT static void permute32(uint32_t *restrict labels, uint32_t m0, uint32_t m1, uint32_t m2, uint32_t a0, uint32_t a1,
                          uint32_t a2, uint32_t mask, int fold, int count)
{
    for (int e = 0; e < count; e++) {
        uint32_t x = (labels[e] * m0 + a0) & mask;
        x ^= x >> fold;
        x = (x * m1 + a1) & mask;
        x ^= x >> fold;
        x = (x * m2 + a2) & mask;
        labels[e] = x ^ x >> fold;
    }
}

static void permute(const struct bijection *b, uint32_t *low, uint32_t *high, int count)
{
    if (b->bits <= 32) {
        permute32(low, (uint32_t)b->multiply[0], (uint32_t)b->multiply[1], (uint32_t)b->multiply[2],
                  (uint32_t)b->add[0], (uint32_t)b->add[1], (uint32_t)b->add[2], (uint32_t)b->mask, b->fold, count);
        return;
    }
    for (int e = 0; e < count; e++) {
        uint64_t x = bijection_apply(b, (uint64_t)high[e] << 32 | low[e]);
        low[e] = (uint32_t)x;
        high[e] = (uint32_t)(x >> 32);
    }
}

/* Levels from .. to-1 (two per random word) appended to the labels in u and v. */
static void levels(const struct generator *g, const uint32_t *mixed, int from, int to, uint32_t *u, uint32_t *v,
                   int count)
{
    size_t bytes = (size_t)count * sizeof *u;
    memset(u, 0, bytes);
    memset(v, 0, bytes);
    for (int level = from; level < to; level += 2) {
        uint32_t multiply = g->multiply[level / 2], add = g->add[level / 2];
        if (level + 1 < to) two_levels(mixed, multiply, add, u, v, count);
        else one_level(mixed, multiply, add, u, v, count);
    }
}

/* `count` edges whose numbers share their upper 32 bits, at offset `at` of the block. */
static void same_upper(struct generator *g, uint64_t first, int at, int count, struct edge_block *b)
{
    if (first >> 32 != g->keyed_for) key_levels(g, first >> 32);
    mix_numbers(b->mixed + at, (uint32_t)first, g->start, count);
    levels(g, b->mixed + at, 0, g->scale < 32 ? g->scale : 32, b->u + at, b->v + at, count);
    if (g->scale > 32) levels(g, b->mixed + at, 32, g->scale, b->u_high + at, b->v_high + at, count);
    if (g->weighted) draw_weights(b->mixed + at, g->multiply[WEIGHT_KEYS], g->add[WEIGHT_KEYS], b->weight + at, count);
    permute(&g->labels, b->u + at, b->u_high + at, count);
    permute(&g->labels, b->v + at, b->v_high + at, count);
}

void generator_block(struct generator *g, uint64_t first, int count, struct edge_block *block)
{
    uint64_t until_carry = ((uint64_t)1 << 32) - (first & 0xffffffffu);
    int before = (uint64_t)count < until_carry ? count : (int)until_carry;
    same_upper(g, first, 0, before, block);
    if (before < count) same_upper(g, first + (uint64_t)before, before, count - before, block);
}

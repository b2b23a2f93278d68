/* Random numbers by hashing a counter, and a keyed bijection of s-bit labels: no state, no table, any order.
   A number is a 64-bit word for (seed, stream, counter); the same on every host and for any number of ranks.
   Sources: numbers from counters, J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random numbers: as easy as
   1, 2, 3", SC'11; a Weyl sequence and a finaliser of shifts and multiplications as in SplitMix64, G. Steele, D. Lea,
   C. Flood, "Fast splittable pseudorandom number generators", OOPSLA'14, with rounds of our own. */
#ifndef PREDICT_MPI_RANDOM_H
#define PREDICT_MPI_RANDOM_H
#include <stdint.h>

/* A 64-bit finaliser over a Weyl step: one well mixed word per (seed, stream, counter). */
static inline uint64_t random_word(uint64_t seed, uint64_t stream, uint64_t counter)
{
    uint64_t x = seed * 0xd1342543de82ef95u + stream * 0xa0761d6478bd642fu + counter * 0x9e3779b97f4a7c15u + 1;
    for (int round = 0; round < 2; round++) {
        x ^= x >> 32;
        x *= 0xe9846af9b1a615d5u;
        x ^= x >> 29;
        x *= 0x94d049bb133111ebu;
    }
    return x ^ x >> 31;
}

/* A bijection of [0, 2^bits): three rounds of (odd multiply, add, fold the upper half on the lower).
   Each step can be undone mod 2^bits, so labels are permuted without a table and without collisions. */
struct bijection {
    int bits, fold;
    uint64_t mask, multiply[3], add[3];
};

static inline struct bijection bijection_make(uint64_t seed, uint64_t stream, int bits)
{
    struct bijection b = {.bits = bits, .fold = (bits + 1) / 2, .mask = ((uint64_t)1 << bits) - 1};
    for (unsigned r = 0; r < 3; r++) {
        b.multiply[r] = random_word(seed, stream, 2 * r) | 1;
        b.add[r] = random_word(seed, stream, 2 * r + 1);
    }
    return b;
}

static inline uint64_t bijection_apply(const struct bijection *b, uint64_t x)
{
    for (int r = 0; r < 3; r++) {
        x = (x * b->multiply[r] + b->add[r]) & b->mask;
        x ^= x >> b->fold;
    }
    return x;
}

#endif

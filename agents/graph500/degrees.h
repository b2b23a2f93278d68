/* Degrees of 8 bits: exact to 31, then three bits of fraction per octave. A byte per vertex is what
   the ranks of a grid row exchange to order vertices alike, instead of four. */
#ifndef G500_DEGREES_H
#define G500_DEGREES_H
#include <stdint.h>

static inline uint8_t degree_class(uint64_t degree)
{
    if (degree < 32) return (uint8_t)degree;
    int octave = 63 - __builtin_clzll(degree); /* 5 or more */
    int at = 32 + (octave - 5) * 8 + (int)(degree >> (octave - 3) & 7);
    return (uint8_t)(at > 255 ? 255 : at);
}

static inline uint32_t class_degree(uint8_t c)
{
    if (c < 32) return c;
    int octave = 5 + (c - 32) / 8;
    return (uint32_t)((uint64_t)(8 + (c - 32) % 8) << (octave - 3));
}

#endif

/* Vertices that wait, by the distance that they wait for: a window of bins of one width, and what lies beyond. A vertex
   may stand in several bins; it waits where its key is. */
#ifndef GA_BINS_H
#define GA_BINS_H
#include <stdint.h>

enum { BINS = 256 };

struct bin {
    uint32_t *vertex;
    uint64_t count, room;
};

struct bins {
    double per_width;     /* one over the width of a bin; keys times this are compared, so that roundings agree */
    double base;          /* bin k holds keys from (base + k) widths on */
    uint32_t first;       /* bins below are empty */
    struct bin bin[BINS]; /* the first one has all lower keys too */
    struct bin beyond;
    double (*key_of)(const void *owner, uint32_t vertex); /* infinity: it does not wait */
    const void *owner;
};

void bins_open(struct bins *b, double width, double (*key_of)(const void *owner, uint32_t vertex), const void *owner);
void bins_close(struct bins *b);

/* Nothing waits; keys will be from so many widths on. */
void bins_restart(struct bins *b, double base);

void bins_put(struct bins *b, uint32_t vertex, double key);

/* The smallest key of those that wait; infinity when none waits. Forgets who stands in a bin and waits elsewhere. */
double bins_least(struct bins *b);

/* The end of the bin that a key is in, in widths. */
double bins_end(const struct bins *b, double key);

/* Takes some that may be below `end` widths into `out`, a bin that is emptied first; none: there is none. */
void bins_take(struct bins *b, double end, struct bin *out);

#endif

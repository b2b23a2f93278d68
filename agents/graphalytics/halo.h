/* Values of own vertices for the ghosts that other ranks have of them, and back. */
#ifndef GA_HALO_H
#define GA_HALO_H

#include "graph.h"

struct halo {
    const struct graph *graph;
    struct message *out, *in; /* per rank */
    size_t *out_room, *in_room;
    uint64_t **mask;      /* per rank: own vertices that it has copies of, or NULL */
    uint32_t least, most; /* copies of own vertices that a rank has: of those that have some */
    uint64_t *marks;      /* a bit per own vertex, zero between calls */
    uint64_t *set;        /* room for a set of one rank's copies, as bits and encoded */
    uint8_t *encoded;
    uint32_t *arrived; /* ghosts that the last spread brought */
    uint64_t arrived_count;
};

void halo_open(struct halo *h, const struct graph *g);
void halo_close(struct halo *h);

/* Every ghost's value from its owner: values[v] of `width` bytes per index. */
void halo_fill(struct halo *h, void *values, size_t width);

/* The values of these own vertices only, each once in any order; with width 0 only which they are. `arrived` gets the
   ghosts that were told. */
void halo_spread(struct halo *h, const uint32_t *changed, uint64_t count, void *values, size_t width);

/* A set of own vertices, as a list and as bits: only what halo_needs names has to be there. */
struct own_set {
    const uint32_t *list;
    const uint64_t *bits;
    uint64_t count;
};
enum { AS_LIST = 1, AS_BITS = 2 };
int halo_needs(const struct halo *h, uint64_t count);

/* Tells who has copies, and every rank a number. Returns the sum of all ranks' numbers, each cut off at 2^32 - 1. Where
   all know that one rank alone has any, `only` names it; else it is EVERY_RANK. */
enum { EVERY_RANK = -1 };
uint64_t halo_tell(struct halo *h, struct own_set told, uint64_t number, int only);

/* The ghosts that the last halo_tell brought: their words in bits of all indices, or in `arrived`. */
void halo_take_bits(struct halo *h, uint64_t *bits);
void halo_take_list(struct halo *h);

/* Once the cut is covered (cover.h): every ghost's value from its owner, and to it what own vertices give the ghost, in
   one message. Sums are per ghost and go as floats; halo_add adds `scale` times those that came to own values. */
void halo_trade(struct halo *h, float *values, const double *sums);
void halo_add(const struct halo *h, double scale, double *values);

/* Adds each ghost's value to that of its vertex. */
void halo_collect(struct halo *h, uint64_t *values);

/* Room for every message: so many bytes per copy or ghost of the rank, and so many more. */
void halo_prepare(struct halo *h, size_t per_copy, size_t per_ghost, size_t more);

#endif

/* Values of own vertices for the ghosts that other ranks have of them, and back. */
#ifndef GA_HALO_H
#define GA_HALO_H

#include "graph.h"

struct halo {
    const struct graph *graph;
    struct message *out, *in; /* per rank */
    size_t *out_room, *in_room;
    uint64_t *marks; /* a bit per own vertex, zero between calls */
    uint64_t *set;   /* room for a set of one rank's copies, as bits and encoded */
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

/* Once the cut is covered (cover.h): every ghost's value from its owner, and to it what own vertices give the ghost, in
   one message. Sums are per ghost and go as floats; halo_add adds `scale` times those that came to own values. */
void halo_trade(struct halo *h, float *values, const double *sums);
void halo_add(const struct halo *h, double scale, double *values);

/* Adds each ghost's value to that of its vertex. */
void halo_collect(struct halo *h, uint64_t *values);

#endif

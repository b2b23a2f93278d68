/* Own vertices that wait to be relaxed, by distance: a window of bins of one width, and what lies beyond. */
#ifndef GA_BINS_H
#define GA_BINS_H
#include <stdint.h>

enum { BINS = 256 };

struct bin {
    uint32_t *vertex;
    uint64_t count, room;
};

struct bins {
    double width, per_width;
    double base;          /* bin k holds distances from (base + k) * width on */
    uint32_t first;       /* bins below are empty */
    struct bin bin[BINS]; /* a vertex may stand in several, and in those of greater distances than it has by now */
    struct bin beyond;
};

void bins_open(struct bins *b, double width);
void bins_close(struct bins *b);

/* From distance 0 on again, once nothing waits. */
void bins_restart(struct bins *b);

void bins_put(struct bins *b, uint32_t vertex, double distance);

/* No vertex waits with a smaller distance than this; infinity when none waits. `distance` tells what each has. */
double bins_least(struct bins *b, const double *distance);

/* Takes what may be below `limit` into `out`, a bin that is emptied first. */
void bins_take(struct bins *b, double limit, const double *distance, struct bin *out);

void bin_add(struct bin *b, uint32_t vertex);

#endif

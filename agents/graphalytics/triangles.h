/* Counting triangles on one rank, for local clustering coefficients. */
#ifndef GA_TRIANGLES_H
#define GA_TRIANGLES_H
#include <stdint.h>

/* The first in the order are met in most lists: they have numbers of their own, and of them the own ones rows of bits.
 */
enum { HUBS = 8192 };

/* What a thread has for itself. */
struct hand {
    uint64_t *gain;             /* per index: edges that join two of its neighbours */
    uint8_t *joined;            /* per index: edges to the vertex in hand */
    uint32_t *met;              /* entries of a list that are joined to it */
    uint64_t *mark, *mark_both; /* hubs in the list in hand */
    uint64_t *hub_gain;
};

struct triangles {
    uint32_t own;
    int directed;
    uint64_t *ptr;  /* per own vertex: */
    uint32_t *to;   /* neighbours before it in the order, indices shifted left, lowest bit: edges both ways */
    uint64_t *gain; /* of the first thread; in the end of all */
    struct hand *hands;
    int threads;

    uint32_t hub_count;
    uint32_t *hub;    /* their indices, in the order */
    uint32_t *hub_of; /* per index: its place among them, or HUBS */
    uint64_t *row_at; /* per hub: first word of its row, of as many bits as there are hubs before it; own hubs only */
    uint64_t *row;    /* neighbours before it; where directed, behind them those that edges join both ways */
};

/* `entries`: room in `to`. The caller fills ptr, to and hub (hub_count of them), then calls triangles_begin. */
void triangles_open(struct triangles *t, uint32_t own, uint32_t all, uint64_t entries, int directed, int threads);
void triangles_begin(struct triangles *t, uint32_t all);
void triangles_close(struct triangles *t);

/* Those whose last vertex is v and whose middle one is own; `list` is what stands before v, as in `to`. Threads may
   call it together. */
void triangles_find(const struct triangles *t, int thread, uint32_t v, const uint32_t *list, uint32_t count);

/* Adds what hubs have gained, and other threads, to `gain`. */
void triangles_end(struct triangles *t, uint32_t all);

#endif

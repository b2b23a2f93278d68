/* From ids to numbers: own vertices and ghosts of a rank while it loads. Ids that lie close together have a slot each,
   in their order, so that ends that follow each other in a file share cache lines; others go by open addressing. */
#ifndef GA_TABLE_H
#define GA_TABLE_H
#include <stdint.h>

#include "graph.h"

struct slot {
    uint64_t id; /* NO_ID: empty */
    uint32_t number, ends;
};

#define NO_ID UINT64_MAX

struct table {
    struct slot *slots;
    uint64_t mask, count;
    int dense; /* an id's slot is at the id; one for all that are too large is at `mask` */
};

void table_open(struct table *t, uint64_t expected);
/* For ids of which those that count are below `limit`. */
void table_open_dense(struct table *t, uint64_t limit);
void table_free(struct table *t);

/* Room for `more` ids besides those that are there. */
void table_make_room(struct table *t, uint64_t more);

static inline void table_prefetch(const struct table *t, uint64_t id, uint64_t hash)
{
    __builtin_prefetch(&t->slots[t->dense ? (id < t->mask ? id : t->mask) : hash & t->mask], 1);
}

/* The slot of an id, or the empty one where it belongs. Lower bits of the hash: owners go by the upper half. */
static inline struct slot *table_find(const struct table *t, uint64_t id, uint64_t hash)
{
    if (t->dense) return &t->slots[id < t->mask ? id : t->mask];
    uint64_t at = hash & t->mask;
    while (t->slots[at].id != id && t->slots[at].id != NO_ID) at = (at + 1) & t->mask;
    return &t->slots[at];
}

static inline void table_put(struct table *t, struct slot *empty, uint64_t id, uint32_t number)
{
    *empty = (struct slot){id, number, 0};
    t->count++;
}

#endif

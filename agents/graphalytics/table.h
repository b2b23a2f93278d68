/* From 64-bit keys to numbers, by open addressing. */
#ifndef GA_TABLE_H
#define GA_TABLE_H
#include <stdint.h>

#include "graph.h"

struct slot {
    uint64_t id; /* NO_ID: empty */
    uint32_t number;
};

#define NO_ID UINT64_MAX

struct table {
    struct slot *slots;
    uint64_t mask, count;
};

void table_open(struct table *t, uint64_t expected);
void table_free(struct table *t);

/* Room for `more` ids besides those that are there. */
void table_make_room(struct table *t, uint64_t more);

/* Where the search for an id begins. */
static inline const struct slot *table_place(const struct table *t, uint64_t hash) { return &t->slots[hash & t->mask]; }

/* The slot of an id, or the empty one where it belongs. Lower bits of the hash: owners go by the upper half. */
static inline struct slot *table_find(const struct table *t, uint64_t id, uint64_t hash)
{
    for (uint64_t at = hash & t->mask;; at = (at + 1) & t->mask) {
        uint64_t there = __atomic_load_n(&t->slots[at].id, __ATOMIC_ACQUIRE);
        if (there == id || there == NO_ID) return &t->slots[at];
    }
}

/* One thread may put while others find: who sees the id sees its number. */
static inline void table_put(struct table *t, struct slot *empty, uint64_t id, uint32_t number)
{
    empty->number = number;
    __atomic_store_n(&empty->id, id, __ATOMIC_RELEASE);
    t->count++;
}

#endif

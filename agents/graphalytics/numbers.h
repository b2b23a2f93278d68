/* From ids to numbers: own vertices and ghosts of a rank while it loads. Where ids lie close together each has a place
   in an array, so that ends that follow each other in a file share cache lines; else they are in a table. */
#ifndef GA_NUMBERS_H
#define GA_NUMBERS_H
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "table.h"

struct numbers {
    uint32_t *dense; /* per id below `limit`; NULL: `table` has them */
    uint64_t limit;  /* no vertex has an id from here on; UINT64_MAX where that is not known */
    struct table table;
    uint32_t count; /* numbers that were given */
};

static inline void numbers_open_dense(struct numbers *n, uint64_t limit)
{
    *n = (struct numbers){.dense = take((limit + 1) * sizeof *n->dense), .limit = limit};
    memset(n->dense, 0xff, limit * sizeof *n->dense);
}

static inline void numbers_open(struct numbers *n, uint64_t expected)
{
    *n = (struct numbers){.limit = UINT64_MAX};
    table_open(&n->table, expected);
}

static inline void numbers_free(struct numbers *n)
{
    free(n->dense);
    table_free(&n->table);
}

static inline void numbers_make_room(struct numbers *n, uint64_t more)
{
    if (!n->dense) table_make_room(&n->table, more);
}

/* Where its number is, as a rule: to be fetched ahead. A function that does so itself is dropped by GCC 12. */
static inline const void *number_place(const struct numbers *n, uint64_t id)
{
    if (n->dense) return &n->dense[id < n->limit ? id : n->limit];
    return table_place(&n->table, id_hash(id));
}

/* NO_INDEX where it has none. Other threads may give numbers meanwhile. */
static inline uint32_t number_of(const struct numbers *n, uint64_t id)
{
    if (n->dense) return id < n->limit ? __atomic_load_n(&n->dense[id], __ATOMIC_RELAXED) : NO_INDEX;
    const struct slot *s = table_find(&n->table, id, id_hash(id));
    return s->id == NO_ID ? NO_INDEX : s->number;
}

/* The next number, for an id below `limit` that has none. One thread at a time. */
static inline uint32_t number_give(struct numbers *n, uint64_t id)
{
    if (n->dense) __atomic_store_n(&n->dense[id], n->count, __ATOMIC_RELAXED);
    else table_put(&n->table, table_find(&n->table, id, id_hash(id)), id, n->count);
    return n->count++;
}

/* Every id with its number, one per place; false where a place is empty. */
static inline uint64_t numbers_places(const struct numbers *n) { return n->dense ? n->limit : n->table.mask + 1; }

static inline int numbers_at(const struct numbers *n, uint64_t place, uint64_t *id, uint32_t *number)
{
    *id = n->dense ? place : n->table.slots[place].id;
    *number = n->dense ? n->dense[place] : n->table.slots[place].number;
    return n->dense ? *number != NO_INDEX : *id != NO_ID;
}

#endif

/* Slots of 16 bytes. Open addressing is by linear probing, at most two thirds full. */
#include "table.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

static struct slot *empty_slots(uint64_t count)
{
    struct slot *slots = take(count * sizeof *slots);
    return memset(slots, 0xff, count * sizeof *slots);
}

static uint64_t size_for(uint64_t count)
{
    uint64_t size = 64;
    while (size * 2 < count * 3) size *= 2;
    return size;
}

void table_open(struct table *t, uint64_t expected)
{
    uint64_t size = size_for(expected);
    *t = (struct table){.slots = empty_slots(size), .mask = size - 1};
}

void table_free(struct table *t) { free(t->slots); }

void table_make_room(struct table *t, uint64_t more)
{
    uint64_t size = size_for(t->count + more);
    if (size <= t->mask + 1) return;
    struct table larger = {.slots = empty_slots(size), .mask = size - 1, .count = t->count};
    for (uint64_t at = 0; at <= t->mask; at++)
        if (t->slots[at].id != NO_ID) *table_find(&larger, t->slots[at].id, id_hash(t->slots[at].id)) = t->slots[at];
    free(t->slots);
    *t = larger;
}

/* The last piece's cursors are in the lists' own array. Its counts stand two places on: after prefix sums ptr[v + 1] is
   where that piece writes to the list of v, and moves as it is filled, so that in the end it is where the next list
   begins. */
#include "filling.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "team.h"

struct filling filling_open(uint32_t size, uint64_t entries)
{
    uint64_t most = 1 + entries * sizeof(uint32_t) / (((uint64_t)size + 1) * sizeof(uint64_t));
    int pieces = (uint64_t)team_size() < most ? team_size() : (int)most;
    struct filling f = {{take_zero(((size_t)size + 2) * sizeof(uint64_t)), NULL}, size, pieces, NULL};
    f.cursor = take((size_t)pieces * sizeof *f.cursor);
    f.cursor[pieces - 1] = f.lists.ptr + 2;
    for (int p = 0; p < pieces - 1; p++) f.cursor[p] = take_zero(((size_t)size + 1) * sizeof(uint64_t));
    return f;
}

void filling_place(struct filling *f)
{
    uint64_t at = 0, *ptr = f->lists.ptr;
    int last = f->pieces - 1;
    for (uint32_t v = 0; v < f->size; v++) {
        uint64_t lasts = ptr[v + 2];
        for (int p = 0; p < last; p++) {
            uint64_t count = f->cursor[p][v];
            f->cursor[p][v] = at;
            at += count;
        }
        ptr[v + 1] = at;
        at += lasts;
    }
    ptr[f->size + 1] = at;
    f->cursor[last] = ptr + 1;
}

void filling_take(struct filling *f)
{
    uint64_t count = f->lists.ptr[f->size + 1];
    f->lists.to = take((count + STRIDE) * sizeof *f->lists.to);
    memset(f->lists.to + count, 0, STRIDE * sizeof *f->lists.to);
}

struct lists filling_close(struct filling *f)
{
    for (int p = 0; p < f->pieces - 1; p++) free(f->cursor[p]);
    free(f->cursor);
    return f->lists;
}

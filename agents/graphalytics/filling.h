/* Lists of neighbours that threads fill together. Each takes a piece of what there is, and has a cursor in every list:
   first it counts, then it writes, so that lists are in the order of the pieces. Behind every set of lists is room for
   STRIDE more entries: loops may read a whole stride. */
#ifndef GA_FILLING_H
#define GA_FILLING_H

#include "graph.h"

enum { STRIDE = 16 };

struct filling {
    struct lists lists;
    uint32_t size;
    int pieces;
    uint64_t **cursor; /* per piece and list: entries, and once they are placed where the next one goes */
};

/* For so many lists of so many entries in all, or fewer: cursors take no more room than these. */
struct filling filling_open(uint32_t size, uint64_t entries);
/* From counts to places; then takes room for the entries. */
void filling_place(struct filling *f);
void filling_take(struct filling *f);
/* The lists, once all are filled. */
struct lists filling_close(struct filling *f);

#endif

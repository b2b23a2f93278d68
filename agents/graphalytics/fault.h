/* What can be wrong in a line of a graph's files. The first in the file is told, whichever rank finds it: so the
   sentence is the same for any number of ranks. */
#ifndef GA_FAULT_H
#define GA_FAULT_H
#include <stdint.h>

#include "net.h"

enum fault_kind {
    NO_FAULT,
    LINE_TOO_LONG,
    NOT_A_VERTEX,
    VERTEX_ID_RANGE,
    VERTEX_ORDER,
    VERTEX_TWICE,
    NOT_AN_EDGE,
    EDGE_CUT_OFF,
    EDGE_ID_RANGE,
    SELF_LOOP,
    LARGER_FIRST,
    NO_WEIGHT,
    BAD_WEIGHT,
    THIRD_COLUMN,
    UNKNOWN_END,
    EDGE_TWICE,
};

struct fault {
    enum fault_kind kind;
    uint64_t offset; /* of the line in the file */
};

/* Keeps the earlier of two. */
static inline void fault_note(struct fault *f, enum fault_kind kind, uint64_t offset)
{
    if (f->kind == NO_FAULT || offset < f->offset) *f = (struct fault){kind, offset};
}

/* The earliest over all ranks; where there is one, rank 0 says it. True on all ranks then. */
int fault_said(struct net *net, const char *path, struct fault mine);

#endif
